from __future__ import annotations

import pytest

from constraintsuite.mechanism.contrasts.queries import affirmative_twin
from constraintsuite.records.examples import Example
from mechanism.contrasts.contrast_factory import shown
from mechanism.contrasts.suite_factory import make_example


def _example(neg: str, base: str, y: str, marker: str, text: str = "") -> Example:
    return make_example(
        y=y, marker=marker, queries=(neg, base, ""), docs=(text or "Nothing to see.", "Nothing at all.")
    )


@pytest.mark.parametrize(
    ("neg", "base", "y", "marker", "twin", "change"),
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
        ("non-French films", "French films", "French", "non-", "French films", "query.base"),
        ("films lacking colour", "films in colour", "colour", "lacking", "films in colour", "query.base"),
    ],
)  # fmt: skip
def test_the_cue_gives_way_to_as_many_words_or_else_the_suites_own_query_is_used(
    neg: str, base: str, y: str, marker: str, twin: str, change: str
) -> None:
    found = affirmative_twin(_example(neg, base, y, marker))
    assert found is not None
    assert (found.clean.text, found.corrupt.text, found.change) == (neg, twin, change)


def test_a_text_shows_that_a_thing_is_countable() -> None:
    found = affirmative_twin(_example("huts with no stove", "huts offering stove", "stove", "no", "There is a stove."))
    assert found is not None
    assert found.corrupt.text == "huts with a stove"


def test_the_cue_nearest_to_y_is_replaced() -> None:
    found = affirmative_twin(_example("not cheap hotels without a bar", "", "bar", "without"))
    assert found is not None
    assert found.corrupt.text == "not cheap hotels with a bar"


@pytest.mark.parametrize(
    ("neg", "base", "marker", "clean", "corrupt"),
    [
        ("soups without cream", "", "without", [("without", "q_cue"), ("cream", "q_y")], [("with", "q_cue"), ("cream", "q_y")]),
        ("soup that lacks cream", "soup that has cream", "?", [("lacks", "q_cue"), ("cream", "q_y")], [("has", "q_cue"), ("cream", "q_y")]),
        ("all but cream soups", "cream soups", "?", [("all but", "q_cue"), ("cream", "q_y")], [("cream", "q_y")]),
    ],
)  # fmt: skip
def test_what_differs_is_the_cue_and_y_is_found(
    neg: str, base: str, marker: str, clean: list[tuple[str, str]], corrupt: list[tuple[str, str]]
) -> None:
    found = affirmative_twin(_example(neg, base, "cream", marker))
    assert found is not None
    assert (shown(found.clean), shown(found.corrupt)) == (clean, corrupt)


@pytest.mark.parametrize("base", ["", "Soups lacking CREAM"])
def test_no_other_query_no_twin(base: str) -> None:
    assert affirmative_twin(_example("soups lacking cream", base, "cream", "lacking")) is None
