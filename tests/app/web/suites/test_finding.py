"""Filters, counts, full text and pages, over a suite small enough to be counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.altered import with_document, with_evidence
from constraintsuite.app.web.suites.facets import find_texts, index_texts, parse_terms, snippet
from constraintsuite.app.web.suites.search import ExampleFilter, SuiteIndex, paginate, read_choice, read_index
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from experiments.tiny_suite import DOGLESS, EXAMPLES, NUTLESS, write_suite


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SuiteIndex:
    return read_index(write_suite(tmp_path_factory.mktemp("suite")))


def ids(index: SuiteIndex, choice: ExampleFilter) -> list[str]:
    return [index.examples[place].id for place in index.find(choice).members]


ALL = ["creamless", "leekless", "dogless", "showerless", "nutless", "loud", "orphan", "idiom"]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, ALL),
        ({"slice": "minpairs"}, ["creamless", "leekless"]),
        ({"slice": "nonflip"}, ["loud", "orphan"]),
        ({"domain": "travel"}, ["dogless", "showerless", "idiom"]),
        ({"domain": "travel", "slice": "explicit"}, ["dogless", "showerless"]),
        ({"domain": "food", "slice": "explicit"}, []),
        ({"control": "case"}, ["loud"]),
        ({"value": "nuts"}, ["nutless"]),
        ({"edited": "edited"}, ["creamless", "leekless", "loud", "orphan"]),
        ({"slice": "no such slice"}, []),
    ],
)
def test_filters(index: SuiteIndex, values: dict[str, str], found: list[str]) -> None:
    assert ids(index, ExampleFilter(values)) == found


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("river", ["dogless", "idiom"]),  # stands in documents
        ("RIVER", ["dogless", "idiom"]),
        ("rye bread", ["nutless"]),
        ("river welcome", ["dogless", "idiom"]),  # one in each document
        ("leeks dogs", []),
        ('"no cream"', ["creamless", "leekless", "loud", "orphan"]),
        ('"cream no"', []),
        ("idiom", ["idiom"]),  # an id
        ("satisfying campsites", ["dogless", "showerless", "idiom"]),  # a title
        ("(.*", []),
        ('"', []),
        ("   ", ALL),
    ],
)
def test_full_text(index: SuiteIndex, search: str, found: list[str]) -> None:
    assert ids(index, ExampleFilter(search=search)) == found


def test_counts_are_what_each_value_would_leave_beside_the_other_filters(index: SuiteIndex) -> None:
    found = index.find(ExampleFilter({"slice": "explicit"}, "campsites"))
    offers = {offer.facet.name: offer for offer in found.offers}
    assert offers["slice"].listed == {"explicit": 2, "adversarial": 1}
    assert offers["domain"].listed == {"travel": 2}
    assert offers["value"].listed == {"dogs": 1, "showers": 1}


def test_every_count_is_kept(index: SuiteIndex) -> None:
    for choice in (ExampleFilter(), ExampleFilter({"domain": "travel"}), ExampleFilter(search="cream")):
        for offer in index.find(choice).offers:
            for value, count in offer.counts.items():
                chosen = ExampleFilter({**choice.values, offer.facet.name: value}, choice.search)
                assert len(ids(index, chosen)) == count, (offer.facet.name, value)


def test_a_value_that_leaves_nothing_stays_to_be_taken_away(index: SuiteIndex) -> None:
    offers = {o.facet.name: o for o in index.find(ExampleFilter({"domain": "food", "slice": "explicit"})).offers}
    assert offers["domain"].listed == {"travel": 2, "food": 0}
    assert offers["domain"].useful


def test_what_tells_nothing_apart_is_no_filter(index: SuiteIndex) -> None:
    assert "split" not in index.facets
    assert "relation" not in index.facets
    assert {"slice", "domain", "value", "edited", "control"} <= index.facets.keys()


def test_tags_and_notes_are_filters(tmp_path: Path) -> None:
    noted = [
        replace(
            DOGLESS, notes=("source: press",), split="dev", tags={**DOGLESS.tags, "difficulty": "hard", "unit": "euro"}
        ),
        replace(NUTLESS, notes=("source: blog",)),
    ]
    index = read_index(write_suite(tmp_path, noted, ()))
    for name, value in (("notes.source", "press"), ("split", "dev"), ("difficulty", "hard"), ("unit", "euro")):
        assert ids(index, ExampleFilter({name: value})) == ["dogless"], name


def test_evidence_is_a_filter(index: SuiteIndex) -> None:
    assert ids(index, ExampleFilter({"satisfying_evidence": "none"})) == ["nutless"]
    assert ids(index, ExampleFilter({"satisfying_evidence": "negated"})) == [id for id in ALL if id != "nutless"]


def test_an_example_without_a_constraint_is_in_no_group_of_constraints(tmp_path: Path) -> None:
    index = read_index(write_suite(tmp_path, [DOGLESS, replace(NUTLESS, constraint=None)], ()))
    for name, value in (("value", "dogs"), ("satisfying_evidence", "negated"), ("violating_evidence", "affirmed")):
        assert index.facets[name].values == (value,)
        assert ids(index, ExampleFilter({name: value})) == ["dogless"]


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        ([], ExampleFilter()),
        ([("slice", "a"), ("q", " b "), ("page", "3")], ExampleFilter({"slice": "a"}, "b", 3)),
        ([("slice", ""), ("q", "")], ExampleFilter()),
        ([("slice", "a"), ("slice", "b")], ExampleFilter({"slice": "b"})),
    ],
)
def test_an_address_is_read(given: list[tuple[str, str]], choice: ExampleFilter) -> None:
    assert read_choice(given, ["slice", "domain"]) == choice


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("slize", "a"), "cannot be filtered by 'slize'. Did you mean 'slice'?"),
        (("xyz", "a"), "There are: slice, domain."),
        (("page", "0"), "Page: '0' is not an integer"),
        (("page", "-1"), "is not an integer"),
        (("page", "two"), "is not an integer"),
        (("page", "²"), "is not an integer"),
        (("page", "9" * 5000), "is not an integer"),
    ],
)
def test_an_address_that_cannot_be_meant_is_told(given: tuple[str, str], message: str) -> None:
    with pytest.raises(UserError) as told:
        read_choice([given], ["slice", "domain"])
    assert message in str(told.value)


@given(
    st.dictionaries(st.sampled_from(["slice", "domain"]), st.text(min_size=1)),
    st.text().map(str.strip),
    st.integers(1, 1000),
)
def test_an_address_comes_back_as_it_was(values: dict[str, str], search: str, page: int) -> None:
    choice = ExampleFilter(values, search, page)
    query = choice.query().removeprefix("?")
    assert read_choice(parse_qsl(query, keep_blank_values=True), ["slice", "domain"]) == choice


@pytest.mark.parametrize(("number", "things", "first"), [(1, [0, 1, 2], 1), (2, [3, 4, 5], 4), (3, [6], 7)])
def test_pages(number: int, things: list[int], first: int) -> None:
    page = paginate(range(7), number, per_page=3)
    assert (list(page.items), page.first, page.pages, page.total) == (things, first, 3, 7)


def test_nothing_is_one_empty_page() -> None:
    page = paginate(list[int](), 1)
    assert (page.pages, page.total) == (1, 0)


def test_a_page_past_the_last_is_told() -> None:
    with pytest.raises(UserError, match="no page 2: the last is 1"):
        paginate(range(25), 2)


def test_an_id_that_is_not_there_is_told(index: SuiteIndex) -> None:
    assert index.get("idiom").id == "idiom"
    with pytest.raises(UserError, match="No example of this suite has the id 'x'"):
        index.get("x")


@pytest.mark.parametrize(
    ("search", "terms"),
    [
        ("", ()),
        ("Soup  cream soup", ("soup", "cream")),
        ('no "Hot Showers" x', ("no", "hot showers", "x")),
        ('"open', ('"open',)),
        ('""', ()),
        ("STRASSE straße", ("strasse",)),
        ("e\u0301", ("\u00e9",)),
    ],
)
def test_the_words_of_a_search(search: str, terms: tuple[str, ...]) -> None:
    assert parse_terms(search) == terms


@given(st.text(max_size=60), st.sampled_from(EXAMPLES))
def test_any_search_finds_what_holds_it(search: str, example: Example) -> None:
    terms = parse_terms(search)
    holds = with_document(with_evidence(example), "satisfying", text=" ".join(terms))
    assert find_texts(index_texts([holds]), terms).all()


def test_a_hit_is_shown_with_the_words_around_it() -> None:
    found = snippet(DOGLESS, ("hills",))
    assert "".join(piece.text for piece in found) == "A campsite in the hills where dogs are welcome."
    assert [piece.text for piece in found if piece.kinds] == ["hills"]
    assert snippet(DOGLESS, ("dogless",)) == ()
    assert snippet(DOGLESS, ()) == ()
