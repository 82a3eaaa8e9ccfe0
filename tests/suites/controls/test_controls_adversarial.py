"""Adversarial controls: an idiom excludes nothing, so the document that affirms Y must win."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Example,
    PoolPlace,
)
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.suites.controls.adversarial import (
    MAX_PER_ORIGINAL,
    IdiomCue,
    affirmative,
    holds_cue,
    load_idioms,
    make_adversarial,
    plural_head,
    twin_query,
)
from constraintsuite.suites.controls.own import slots_of
from constraintsuite.text.terms import TermAnalyser
from suites.controls.controls_factory import exclusion, film, main_example, minimal_pair, person, suite_of


def test_there_are_many_idioms_even_over_the_cues() -> None:
    counts = {cue.cue: len(cue.idioms) for cue in load_idioms()}
    assert sum(counts.values()) >= 60
    assert len(counts) >= 6
    assert max(counts.values()) - min(counts.values()) <= 2


def test_the_roles_of_the_documents_are_exchanged() -> None:
    original = minimal_pair()
    (control,) = make_adversarial([original], count=1, seed=1)
    assert control.slice == "adversarial"
    assert control.satisfying == replace(original.violating, role="satisfying")
    assert control.violating == replace(original.satisfying, role="violating")
    assert (control.satisfying.source, control.violating.source) == ("bad", "good")
    assert (control.satisfying.pools, control.violating.pools) == (
        {"topic": PoolPlace(9, 2.5)},
        {"topic": PoolPlace(3, 1.5)},
    )
    assert control.preferences == (QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE)
    assert exclusion(control).stated_by == "opposite"
    assert (control.satisfying.edit, control.violating.edit) == ("", "without")
    assert (control.satisfying.changed, control.violating.changed) == (((22, 26),), ((22, 29),))
    assert [(one.document, one.value) for one in exclusion(control).evidence] == [
        ("violating", "negated"),
        ("satisfying", "affirmed"),
    ]
    assert (control.split, control.couple) == (original.split, "")


def test_the_negation_words_of_a_document_follow_it_into_its_other_role() -> None:
    cues = {"satisfying": ("without", "isn't"), "violating": ("no",)}
    original = main_example()
    (control,) = make_adversarial(
        [replace(original, constraint=replace(exclusion(original), cues=cues))], count=1, seed=1
    )
    assert exclusion(control).cues == {"violating": ("without", "isn't"), "satisfying": ("no",)}


@pytest.mark.parametrize("original", [main_example(), minimal_pair(), film(), person()], ids=lambda one: one.topic)
def test_every_query_holds_its_cue_and_the_affirmative_query(original: Example) -> None:
    for seed in range(20):
        for control in make_adversarial([original], count=3, seed=seed):
            assert control.control is not None
            assert control.restated is not None
            assert control.restated in control.query
            assert holds_cue(control.query, exclusion(control).cue)
            assert holds_cue(control.control.phrase, exclusion(control).cue)
            assert control.control.original == original.id
            assert control.opposite not in (None, control.query, control.restated)
            assert exclusion(original).value in (control.opposite or "")
            assert adapter(Example).validate_json(encode(control)) == control


@pytest.mark.parametrize("count", [1, 10, 40, 100, 240])
def test_no_idiom_has_more_than_its_share_and_cues_are_even(count: int) -> None:
    controls = make_adversarial(suite_of(30), count=count, seed=1)
    assert len(controls) == count
    assert max(Counter(one.control.phrase for one in controls if one.control).values()) <= max(1, count * 0.05)
    cues = Counter({cue.cue: 0 for cue in load_idioms()})
    cues.update(exclusion(one).cue for one in controls)
    assert max(cues.values()) - min(cues.values()) <= 1


def test_the_share_is_of_what_is_made_not_of_what_is_asked() -> None:
    controls = make_adversarial(suite_of(2), count=1000, seed=1)
    assert len(controls) == MAX_PER_ORIGINAL * 8
    assert max(Counter(one.control.phrase for one in controls if one.control).values()) == 1


def test_the_share_holds_where_few_idioms_fit() -> None:
    spared = {"no kidding", "bar none", "why not"}
    frames = [frame for cue in load_idioms() for one in cue.idioms if one.idiom not in spared for frame in one.frames]
    kept = TermAnalyser().terms(
        " ".join(frame for cue in load_idioms() for one in cue.idioms if one.idiom in spared for frame in one.frames)
    )
    words = [
        word
        for word in " ".join(frames).replace("{affirm}", "").split()
        if not set(TermAnalyser().terms(word)) & set(kept)
    ]
    originals = [main_example(index, satisfying="A soup. " + " ".join(words)) for index in range(60)]
    controls = make_adversarial(originals, count=60, seed=1)
    tally = Counter(one.control.phrase for one in controls if one.control)
    assert spared <= tally.keys()
    assert len(controls) < 60
    assert max(tally.values()) <= max(1, len(controls) * 0.05)


def test_originals_are_used_once_before_any_is_used_twice_and_never_twice_with_one_cue() -> None:
    controls = make_adversarial(suite_of(5), count=30, seed=1)
    uses = Counter(one.control.original for one in controls if one.control)
    assert len(uses) == 20
    assert max(uses.values()) == 2
    assert len({(one.control.original, exclusion(one).cue) for one in controls if one.control}) == 30


def test_the_same_seed_gives_the_same_controls_whatever_the_order_of_the_input() -> None:
    examples = suite_of(4)
    first = make_adversarial(examples, count=16, seed=7)
    assert make_adversarial(list(reversed(examples)), count=16, seed=7) == first
    assert make_adversarial(examples, count=16, seed=8) != first
    assert [one.id for one in first] == [f"exclude_adversarial_sample_{n:06d}" for n in range(1, 17)]


def test_a_frame_adds_no_word_that_only_one_document_holds() -> None:
    text = "A soup without cream that people love; the best list of looks, reviews and praise I want to find."
    terms = TermAnalyser().terms
    for seed in range(20):
        for control in make_adversarial([main_example(satisfying=text)], count=3, seed=seed):
            words = [word for word in control.query.split() if not holds_cue(word, exclusion(control).cue)]
            added = set(terms(" ".join(words))) - set(terms(control.restated or ""))
            assert not added & (set(terms(control.satisfying.text)) ^ set(terms(control.violating.text)))


@pytest.mark.parametrize(
    "example",
    [
        main_example(preferences=(QUERY_PREFERENCE,)),
        main_example(topic="no-bake cakes", opposite="no-bake cakes with cream", query="no-bake cakes without cream"),
        main_example(
            topic="inns", opposite="inns including breakfast", query="inns excluding breakfast", y="breakfast"
        ),
        main_example(topic="soup", opposite="soup with cream", query="soup without cream"),
    ],
    ids=["no preference", "a negation of its own", "the opposite does not ask for Y", "a singular topic"],
)
def test_examples_that_cannot_carry_an_idiom_are_passed_over(example: Example) -> None:
    assert make_adversarial([example], count=5, seed=1) == []


@pytest.mark.parametrize(
    ("topic", "y", "opposite", "domain", "expected"),
    [
        ("soups", "cream", "soups with cream", "food", "soups with cream"),
        ("soups", "cream", "soups made including cream", "food", "soups made with cream"),
        ("films", "Ray", "films including those released by Ray", "works", "films released by Ray"),
        ("films", "French", "films including French ones", "works", "French films"),
        ("films", "war", "films such as war films", "works", "films that are war films"),
        ("players", "goalkeeper", "players including goalkeepers", "people", "players who are goalkeepers"),
        ("flats", "lift", "flats that do have a lift", "places", "flats that have a lift"),
        ("players", "Ayr", "players who did play for Ayr", "people", "players who played for Ayr"),
        ("films", "French", "French films", "works", "French films"),
        ("films", "French", "films, French ones only", "works", "French films"),
        ("players", "goalkeeper", "players, goalkeepers only", "people", "players who are goalkeepers"),
        ("films", "comedy", "films, comedies only", "works", "films, comedies only"),
        ("soups", "cream", "only soups with cream", "food", "soups with cream"),
        ("inns", "breakfast", "inns including breakfast", "travel", None),
    ],
)
def test_the_affirmative_query_asks_for_y(topic: str, y: str, opposite: str, domain: str, expected: str | None) -> None:
    assert affirmative(main_example(topic=topic, y=y, opposite=opposite, domain=domain)) == expected


@pytest.mark.parametrize(
    ("topic", "head"),
    [
        ("drama films", "films"),
        ("hotels for walkers", "hotels"),
        ("a hotel for walkers", None),
        ("exercise class", None),
        ("young people", "people"),
        ("", None),
    ],
)
def test_the_head_of_a_topic_is_its_noun_if_plural(topic: str, head: str | None) -> None:
    assert plural_head(topic) == head


@pytest.mark.parametrize(
    ("example", "cue", "expected"),
    [
        (main_example(), "without", "soups without cream"),  # the original has the cue already
        (main_example(), "no", "soups with no cream"),
        (main_example(), "nothing", "soups, nothing with cream"),
        (main_example(), "but", "any soups but those with cream"),
        (main_example(), "hardly", "soups without cream"),  # hardly cannot exclude
        (minimal_pair(), "no", "apartments with no balcony"),
        (film(), "no", "drama films, no films directed by Ann Example"),
        (film(), "without", "all drama films without those directed by Ann Example"),
        (film(), "n't", "drama films, don't show those directed by Ann Example"),
        (person(), "never", "actors, never those born in Oslo"),
        (person(), "nothing", "actors not born in Oslo"),  # people are not things
        (
            main_example(topic="films", y="French", opposite="French films", query="non-French films"),
            "none",
            "films, none of those that are French",
        ),
    ],
)
def test_a_twin_excludes_with_the_same_cue_where_the_cue_can(example: Example, cue: str, expected: str) -> None:
    entry = next(one for one in load_idioms() if one.cue == cue)
    affirmed = affirmative(example)
    assert affirmed is not None
    assert twin_query(example, affirmed, entry) == expected


@pytest.mark.parametrize("cue", load_idioms(), ids=lambda cue: cue.cue)
def test_every_wording_holds_its_cue_and_every_frame_what_is_affirmed(cue: IdiomCue) -> None:
    frames = [frame for idiom in cue.idioms for frame in idiom.frames]
    assert [text for text in (*cue.twins, *frames) if not holds_cue(text, cue.cue)] == []
    assert [frame for frame in frames if "affirm" not in slots_of(frame)] == []


def test_no_idiom_is_listed_twice() -> None:
    names = [idiom.idiom for cue in load_idioms() for idiom in cue.idioms]
    assert len(names) == len(set(names))
