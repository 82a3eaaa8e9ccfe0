"""One of two values, or neither: what a text states, and which pairs of values are asked for."""

from __future__ import annotations

import pytest

from constraintsuite.suites.constraints.one_of import BUILDER, Listing, OneOf, choose_pairs
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.text.choice import get_analyser

ITALIAN_OR_FRENCH = OneOf(
    value="French or Italian",
    cue="or",
    forms=("French", "Italian"),
    kinds=("France", "Paris", "Italy", "Rome"),
    relation="work_nationality",
    values=("French", "Italian"),
    listing="listed",
)


@pytest.mark.parametrize(
    ("text", "listing"),
    [
        ("Dusk is a 1954 Italian drama film.", "listed"),
        ("Dusk is a 1954 Danish drama film.", "others"),
        ("Dusk is a 1954 Danish drama film that was shot in Rome.", None),
        ("Dusk is a drama film.", None),
    ],
)
def test_a_text_has_a_listed_value_or_another_one_and_no_hint_of_a_listed_one(
    text: str, listing: Listing | None
) -> None:
    (analysis,) = get_analyser("rules").analyse([text])
    evidence = BUILDER.read(ITALIAN_OR_FRENCH, "satisfying", analysis, "Dusk", load_knowledge())
    assert BUILDER.listing(ITALIAN_OR_FRENCH, evidence, text) == listing


def test_pairs_of_values_leave_enough_others() -> None:
    assert choose_pairs({"French": 3, "Italian": 2, "Danish": 2, "Greek": 1}) == [
        ("Danish", "Italian"),
    ]
    assert choose_pairs({"French": 3, "Italian": 2}) == []


def test_pairs_of_values_are_a_real_part_of_the_topic() -> None:
    assert choose_pairs({"French": 2, "Italian": 2, "American": 1, "Danish": 1, "Greek": 1, "Thai": 12}) == [
        ("French", "Thai"),
        ("Italian", "Thai"),
    ]
