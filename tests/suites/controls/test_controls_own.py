"""Controls that only one constraint type has: other words for the same limit, year, place or list, and values of something else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Example,
)
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.experiments.pairs import CONTROL_BY_TYPE, group_examples
from constraintsuite.suites.constraints import number, time
from constraintsuite.suites.constraints.time_controls import find_days
from constraintsuite.suites.controls import OWN_CONTROLS, load_rewriters
from constraintsuite.suites.controls.distracted import make_distracted
from constraintsuite.suites.controls.nonflip import make_nonflip
from constraintsuite.suites.controls.rewrites import apply_changes
from constraintsuite.suites.sides.limits import LimitBuilder, Limited, ask_for_side
from constraintsuite.suites.sides.measures import LimitedMeasure
from suites.controls.controls_factory import main_example, suite_of
from suites.controls.typed_examples import dated, limited, located, one_of

SEEDS = range(40)


def queries_of(example: Example, kind: str) -> set[str]:
    """Every query that a kind of rewriting gives."""
    assert example.constraint is not None
    rewrite = load_rewriters(example.constraint.type)[kind]
    return {found.query or "" for seed in SEEDS if (found := rewrite(example, random.Random(seed))) is not None}


def texts_of(example: Example, kind: str) -> tuple[str, str] | None:
    """The two texts of the control of a kind, without its query; None if there is no such control."""
    for control in make_nonflip([example], count=50, seed=1):
        if control.control and control.control.kind == kind:
            assert control.query == example.query
            return control.satisfying.text, control.violating.text
    return None


THOUSAND = "1,000 pounds a week"
STEWS = limited(
    "servings",
    6,
    query="stews for more than 6 people",
    opposite="stews for fewer than 6 people",
    topic="stews",
    position="above",
)
COTTAGES = limited(
    "price_GBP_week",
    1000,
    query="cottages under 1,000 pounds a week",
    opposite="cottages over 1,000 pounds a week",
    topic="cottages",
)
COMEDIES = one_of(
    ("comedy", "drama"), relation="genre", query="films that are comedies or dramas", opposite="films that are neither"
)
TYPED = {"number": limited(), "time": dated(), "place": located(), "one_of": one_of()}
BORN = located(relation="birthplace", query="directors born in Scotland", topic="directors")


@pytest.mark.parametrize(
    ("example", "kind", "queries"),
    [
        (limited(), "boundary", {f"walks that take {n} minutes" for n in ("at most 90", "no more than 90")}
         | {"walks that take 90 minutes or less"}),
        (STEWS, "boundary", {f"stews for {n} people" for n in ("at least 6", "no fewer than 6", "at least 7", "no fewer than 7")}),
        (COTTAGES, "boundary", {f"cottages for {n}" for n in (f"at most {THOUSAND}", f"no more than {THOUSAND}", f"{THOUSAND} or less")}),
        (limited("pages", 300, query="novels with fewer than 300 pages"), "boundary",
         {f"novels with {n}" for n in ("at most 300 pages", "no more than 300 pages", "300 pages or fewer")}),
        (limited(), "units", {f"walks that take less than {n}" for n in ("an hour and a half", "1 hour 30 minutes", "1.5 hours")}),
        (COTTAGES, "units", set()),
        (COTTAGES, "notation", {f"cottages under {n} a week" for n in ("£1,000", "one thousand pounds", "£1000", "1000 pounds")}),
        (STEWS, "notation", {"stews for more than six people"}),
        (dated(), "boundary", {f"films released {n}" for n in ("in 1959 or earlier", "no later than 1959", "in 1959 at the latest")}),
        (dated(query="films from before 1960"), "boundary",
         {f"films from {n}" for n in ("1959 or earlier", "1959 at the latest")}),
        (dated(), "decade", {f"films released {n}" for n in ("in the 1950s or earlier", "before the 1960s", "by the end of the 1950s")}),
        (dated(1915, query="films released before 1915"), "decade", set()),
        (dated(1910, query="films released before 1910"), "decade", set()),  # the 1900s may be a century
        (located("Netherlands", country="NL", query="museums in the Netherlands"), "place_name", {"museums in Holland"}),
        (located("California", level="region", country="US", query="museums in California"), "place_name",
         {"museums in the state of California"}),
        (located(), "place_name", set()),
        (located(), "demonym", {"Scottish museums"}),
        (located("Norway", country="NO", query="Which museums are outside Norway?"), "demonym", {"Which non-Norwegian museums are there?"}),
        (located(query="restaurants in Scotland", topic="restaurants"), "demonym", set()),  # where, or what they cook?
        (BORN, "demonym", set()),  # a Scottish director may be born elsewhere
        (one_of(), "value_order", {"Italian or French films"}),
        (one_of(query="films that are neither French nor Italian"), "value_order", {"films that are neither Italian nor French"}),
        (one_of(), "either", {"films that are either French or Italian"}),
        (COMEDIES, "either", {"films that are either comedies or dramas"}),
    ],
)  # fmt: skip
def test_a_query_means_the_same_in_other_words(example: Example, kind: str, queries: set[str]) -> None:
    assert queries_of(example, kind) == queries


def test_the_opposite_is_reworded_in_the_same_way() -> None:
    rewrite = load_rewriters("number")["units"]
    found = [rewrite(limited(), random.Random(seed)) for seed in SEEDS]
    pairs = {(one.query, one.opposite) for one in found if one is not None}
    assert pairs == {
        (f"walks that take less than {n}", f"walks that take more than {n}")
        for n in ("an hour and a half", "1 hour 30 minutes", "1.5 hours")
    }


@pytest.mark.parametrize(
    ("builder", "make", "kind"),
    [(number.BUILDER, number.make_number, "number"), (time.BUILDER, time.make_time, "time")],
)
def test_every_wording_of_a_limit_can_be_asked_with_the_limit_itself(
    builder: LimitBuilder, make: Callable[[LimitedMeasure, float, str], Limited], kind: str
) -> None:
    for measure in builder.measures():
        limit = measure.limits[-1]
        words = measure.write(limit)
        for wording in ask_for_side(measure.wordings, measure.key, "things", words, "below"):
            constraint = replace(make(measure, limit, words), cue=wording.cue)
            example = replace(main_example(), query=wording.query, opposite=wording.opposite, constraint=constraint)
            found = load_rewriters(kind)["boundary"](example, random.Random(0))
            assert found is not None, wording.query
            assert found.opposite != wording.opposite


@pytest.mark.parametrize("kind", OWN_CONTROLS.names())
def test_restated_queries_use_another_wording_or_a_sentence(kind: str) -> None:
    example = TYPED[kind]
    found = queries_of(example, "restated")
    assert example.query not in found
    assert any(query.startswith("Which ") for query in found)
    assert f"can you name {example.query}?" in found


def test_an_afterthought_stands_in_no_sentence() -> None:
    found = queries_of(replace(COMEDIES, query="films that are neither comedies nor dramas"), "restated")
    assert not any(", either" in query and query.endswith("?") for query in found)


@pytest.mark.parametrize(
    ("stated", "value", "new"),
    [
        ("80 minutes", "80 minute", "1 hour 20 minutes"),
        ("two hours and five minutes", "125 minute", "125 minutes"),
        ("half an hour", "30 minute", "30 minutes"),
        ("40 minutes", "40 minute", None),  # less than an hour
    ],
)
def test_texts_state_times_in_other_units(stated: str, value: str, new: str | None) -> None:
    text = f"Fell Round is a walk. It takes {stated}."
    example = limited(
        "walking_time",
        150,
        texts=(text, "Old Road is a walk. It takes 3 hours."),
        stated=((stated, value), ("3 hours", "180 minute")),
    )
    texts = texts_of(example, "stated_units")
    assert texts == (text.replace(stated, new or stated), "Old Road is a walk. It takes 180 minutes.")


@pytest.mark.parametrize("words", ["a {} walk", "{} and a half", "60 to {}"])
def test_a_quantity_that_is_part_of_a_phrase_keeps_its_form(words: str) -> None:
    text = f"Fell Round takes {words.format('80 minutes')}, says the guide."
    example = limited(texts=(text, text), stated=(("80 minutes", "80 minute"),) * 2)
    assert load_rewriters("number")["stated_units"](example, random.Random(0)) is None


@pytest.mark.parametrize(
    ("stated", "new"),
    [
        ("£640", "640 pounds"),
        ("640 pounds", "£640"),
        ("£1,240 a week", "1,240 pounds a week"),
        ("12.50 euros", None),
        ("six rooms", "6 rooms"),
        ("25 rooms", "twenty-five rooms"),
        ("Six rooms", None),
        ("250 rooms", None),
    ],
)
def test_texts_state_numbers_in_another_notation(stated: str, new: str | None) -> None:
    text = f"This is it: {stated}."
    example = limited(texts=(text, text), stated=((stated, ""),) * 2)
    found = load_rewriters("number")["stated_notation"](example, random.Random(0))
    assert (found.satisfying.text if found and found.satisfying else None) == (
        None if new is None else text.replace(stated, new)
    )


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("Released on 12 March 1954.", "Released on March 12, 1954."),
        ("Ada Lind (March 2, 1900 – April 7, 1980)", "Ada Lind (2 March 1900 – 7 April 1980)"),
        ("held from 3 to 5 March 1954", "held from 3 to 5 March 1954"),
        ("on 3 June and 5 July 1954", "on 3 June and 5 July 1954"),
        ("in March 1954", "in March 1954"),
    ],
)
def test_days_are_written_in_the_other_order_unless_they_share_a_month_or_year(text: str, new: str) -> None:
    assert apply_changes(text, find_days(text)).text == new


def test_texts_name_the_larger_place() -> None:
    assert texts_of(located(), "containment") == (
        "The Creel is a museum in Edinburgh, Scotland, with nine rooms.",
        "The Net is a museum in Bergen, Norway. It has ten rooms.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "The Creel is a museum in Edinburgh, Scotland.",  # says so already
        "The Creel is a museum in Edinburgh Castle.",  # a longer name
        "The Creel is a Edinburgh museum.",
    ],
)
def test_a_place_stays_as_it_is_where_the_larger_one_does_not_fit(text: str) -> None:
    example = located(texts=(text, text), stated=(("Edinburgh", "Edinburgh"),) * 2)
    assert load_rewriters("place")["containment"](example, random.Random(0)) is None


def test_a_text_in_which_the_type_reads_something_else_gives_no_control() -> None:
    unreadable = "Fell Round is a walk. It takes 80 minutes. It takes 90 minutes."  # two values: neither counts
    example = limited(texts=(unreadable, "Old Road is a walk. It takes two hours."))
    assert texts_of(example, "stated_units") is None


@pytest.mark.parametrize("kind", OWN_CONTROLS.names())
def test_every_type_has_its_own_kinds_beside_those_of_every_type(kind: str) -> None:
    example = TYPED[kind]
    controls = make_nonflip([replace(example, id=str(index)) for index in range(40)], count=40, seed=1)
    kinds = {one.control.kind for one in controls if one.control}
    assert kinds >= {"restated", "punctuation", "case"}
    assert kinds & set(OWN_CONTROLS.load(kind).rewriters) > {"restated"}
    assert all(adapter(Example).validate_json(encode(one)) == one for one in controls)


def test_each_type_has_as_many_controls_as_if_it_were_alone() -> None:
    alone = make_nonflip(suite_of(5), count=20, seed=1)
    both = make_nonflip([*suite_of(5), *(limited(index=index) for index in range(10))], count=20, seed=1)
    assert [one for one in both if one.constraint and one.constraint.type == "exclude"] == alone
    assert Counter(one.constraint.type for one in both if one.constraint) == {"exclude": 20, "number": 20}


def test_a_synonym_keeps_the_words_that_state_the_value() -> None:
    texts = ("Fell Round is a walk. It takes twenty minutes and needs ten coins.", "Old Road takes two hours.")
    example = limited(texts=texts, stated=(("twenty minutes", "20 minute"), ("two hours", "120 minute")))
    assert texts_of(example, "synonym") == (texts[0].replace("ten", "10"), texts[1])


def test_a_name_that_is_a_word_keeps_its_capital() -> None:
    texts = ("The Creel is a museum in Cork.", "The Net is a museum in Bergen.")
    example = located(
        "Ireland", country="IE", query="museums in Ireland", texts=texts, stated=(("Cork", ""), ("Bergen", ""))
    )
    for seed in SEEDS:
        found = load_rewriters("place")["case"](example, random.Random(seed))
        assert found is None or found.satisfying is None or "Cork" in found.satisfying.text


def distractions(example: Example) -> set[str]:
    """The queries of the adversarial controls that can be made of copies of an example."""
    copies = [replace(example, id=f"{example.id}_{index}") for index in range(30)]
    return {one.query for one in make_distracted(copies, count=30, seed=1)}


def test_a_number_that_belongs_to_something_else_decides_nothing() -> None:
    assert distractions(limited()) == {
        "number 120 on my list: walks that take less than 90 minutes",
        "tip 120 in my guide: look for walks that take less than 90 minutes",
        "message 120 in our group: walks that take less than 90 minutes",
        "the reader with ticket 120 needs a list of walks that take less than 90 minutes",
        "more than 120 of our readers want a list of walks that take less than 90 minutes",
    }


def test_people_who_ask_are_not_counted_where_people_are_limited() -> None:
    assert not any("readers" in query for query in distractions(STEWS))


@pytest.mark.parametrize(
    ("example", "query"),
    [
        (dated(), "a friend who was born after 1971 asks for a list of films released before 1960"),
        (dated(query="Which films came out before 1960?"), "I live in a house that was built in 1971. Which films came out before 1960?"),
        (located(), "I live in Bergen and need a list of museums in Scotland"),
        (located(stated=(("Edinburgh", ""), ("Bergen", "Netherlands"))),
         "greetings from the Netherlands! Can you name museums in Scotland?"),
        (one_of(), "my Danish friend asks for a list of French or Italian films"),
        (replace(COMEDIES, query="Which films are comedies or dramas?"),
         "in a talk about westerns somebody asked: Which films are comedies or dramas?"),
    ],
)  # fmt: skip
def test_a_value_of_the_violating_text_belongs_to_something_else(example: Example, query: str) -> None:
    if "westerns" in query:
        assert example.constraint is not None
        evidence = tuple(replace(one, value="western") for one in example.constraint.evidence)
        example = replace(example, constraint=replace(example.constraint, evidence=evidence))
    assert query in distractions(example)


def test_a_distracted_control_keeps_documents_and_preferences() -> None:
    original = limited()
    (control,) = make_distracted([original], count=5, seed=1)
    assert control.slice == "adversarial"
    assert (control.documents, control.opposite, control.restated) == (
        original.documents,
        original.opposite,
        original.query,
    )
    assert control.preferences == (QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE)
    assert control.control is not None
    assert (control.control.kind, control.control.original) == ("other_number", original.id)
    assert control.control.phrase in control.query
    assert "120" in control.control.phrase


def test_a_frame_adds_no_word_that_one_text_alone_has() -> None:
    texts = (
        "Fell Round is a walk. It takes 80 minutes.",
        "Old Road takes two hours, as our group knows from the list.",
    )
    assert not any("group" in query or "list" in query for query in distractions(limited(texts=texts)))


def test_exclusions_have_idioms_and_no_values_of_something_else() -> None:
    assert make_distracted([main_example()], count=5, seed=1) == []


def test_controls_of_several_types_are_grouped_by_type_too() -> None:
    typed = make_nonflip([main_example(), limited()], count=3, seed=1)
    groups = group_examples([], typed)[CONTROL_BY_TYPE]
    assert {name.split()[0] for name in groups} == {"exclude", "number"}
    assert CONTROL_BY_TYPE not in group_examples([], make_nonflip([main_example()], count=3, seed=1))
