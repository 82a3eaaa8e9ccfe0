from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Example
from constraintsuite.mechanism.contrasts.role_marks import opposite_queries
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from mechanism.contrasts.contrast_factory import shown
from mechanism.contrasts.suite_factory import make_example


def _example(query: str, opposite: str | None, y: str, cue: str, text: str = "") -> Example:
    return make_example(
        y=y, cue=cue, queries=(query, opposite, None), docs=(text or "Nothing to see.", "Nothing at all.")
    )


@pytest.mark.parametrize(
    ("query", "opposite", "y", "cue", "twin", "change"),
    [
        ("soups without cream", "soups with cream", "cream", "without", "soups with cream", "without > with"),
        ("soups that do not have nuts", "soups that have nuts", "nuts", "not", "soups that do also have nuts", "not > also"),
        ("apps not about dogs", "apps about dogs", "dogs", "not", "apps also about dogs", "not > also"),
        ("men excluding Welsh ones", "Welsh men", "Welsh", "excluding", "men including Welsh ones", "excluding > including"),
        ("films by men other than Ash", "films by Ash", "Ash", "other than", "films by men such as Ash", "other than > such as"),
        ("castles outside Wales", "castles within Wales", "Wales", "outside", "castles in Wales", "outside > in"),
        ("remedy containing no sugar", "remedy containing sugar", "sugar", "no", "remedy containing some sugar", "no > some"),
        ("hotels that have no lift", "hotels that have a lift", "lift", "no", "hotels that have a lift", "no > a"),
        ("hotels with no attic", "hotels offering an attic", "attic", "no", "hotels with an attic", "no > an"),
        ("non-French films", "French films", "French", "non-", "French films", "opposite"),
        ("films lacking colour", "films in colour", "colour", "lacking", "films in colour", "opposite"),
    ],
)  # fmt: skip
def test_the_cue_gives_way_to_as_many_words_or_else_the_suites_own_query_is_used(
    query: str, opposite: str, y: str, cue: str, twin: str, change: str
) -> None:
    found = opposite_queries(_example(query, opposite, y, cue))
    assert found is not None
    assert (found.clean.text, found.corrupt.text, found.change) == (query, twin, change)


def test_a_text_shows_that_a_thing_is_countable() -> None:
    found = opposite_queries(_example("huts with no stove", "huts offering stove", "stove", "no", "There is a stove."))
    assert found is not None
    assert found.corrupt.text == "huts with a stove"


def test_the_cue_nearest_to_y_is_replaced() -> None:
    found = opposite_queries(_example("not cheap hotels without a bar", None, "bar", "without"))
    assert found is not None
    assert found.corrupt.text == "not cheap hotels with a bar"


@pytest.mark.parametrize(
    ("query", "opposite", "cue", "clean", "corrupt"),
    [
        ("soups without cream", None, "without", [("without", "q_cue"), ("cream", "q_y")], [("with", "q_cue"), ("cream", "q_y")]),
        ("soup that lacks cream", "soup that has cream", "?", [("lacks", "q_cue"), ("cream", "q_y")], [("has", "q_cue"), ("cream", "q_y")]),
        ("all but cream soups", "cream soups", "?", [("all but", "q_cue"), ("cream", "q_y")], [("cream", "q_y")]),
    ],
)  # fmt: skip
def test_what_differs_is_the_cue_and_y_is_found(
    query: str, opposite: str | None, cue: str, clean: list[tuple[str, str]], corrupt: list[tuple[str, str]]
) -> None:
    found = opposite_queries(_example(query, opposite, "cream", cue))
    assert found is not None
    assert (shown(found.clean), shown(found.corrupt)) == (clean, corrupt)


@pytest.mark.parametrize("opposite", [None, "Soups lacking CREAM"])
def test_no_other_query_no_contrast(opposite: str | None) -> None:
    assert opposite_queries(_example("soups lacking cream", opposite, "cream", "lacking")) is None


GENRES = OneOf(
    value="comedies or dramas",
    cue="no",
    forms=("comedies", "dramas"),
    relation="genre",
    values=("comedy", "drama"),
    listing="others",
)
WALES = Located(
    value="Wales", cue="outside", forms=("Wales",), relation="located", level="region", country="GB", location="outside"
)


@pytest.mark.parametrize(
    ("constraint", "query", "opposite", "roles"),
    [
        (GENRES, "films, but no comedies or dramas", "films, either comedies or dramas", ["q_cue", "q_y", "q_y"]),
        (WALES, "castles outside Wales", "castles in Wales", ["q_cue", "q_y"]),
    ],
)
def test_other_types_have_the_suites_own_opposite_and_what_differs_is_the_cue(
    constraint: Constraint, query: str, opposite: str, roles: list[str]
) -> None:
    example = replace(make_example(queries=(query, opposite, None)), constraint=constraint)
    found = opposite_queries(example)
    assert found is not None
    assert (found.corrupt.text, found.change) == (opposite, "opposite")
    assert [role for _, role in shown(found.clean)] == roles
