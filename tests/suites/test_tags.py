"""The tags of an example."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.suites.constraints.exclude_builder import denial
from constraintsuite.suites.tags import difficulty


@pytest.mark.parametrize(
    ("overlap", "mentioned", "expected"),
    [
        ("high", False, "hard"),
        ("high", True, "medium"),
        ("medium", False, "medium"),
        ("medium", True, "medium"),
        ("low", False, "easy"),
        ("low", True, "easy"),
    ],
)
def test_difficulty_follows_the_guide(overlap: str, mentioned: bool, expected: str) -> None:
    assert difficulty(overlap, mentioned=mentioned) == expected


TEXT = "A hotel with no pool, and without a pool next door."


def mention(value: str, start: int, rule: str = "no_cue", cue: str | None = None) -> Evidence:
    return Evidence("satisfying", start, start + 4, value, rule, cue)


def test_the_first_denial_decides() -> None:
    mentions = [mention("negated", 16, "no_determiner", "no"), mention("negated", 36, "without", "without")]
    assert denial(TEXT, mentions) == "determiner"


def test_a_text_without_y_is_silent() -> None:
    assert denial(TEXT, []) == "silent"


def test_a_text_that_names_y_in_another_role_needs_no_cue() -> None:
    assert denial(TEXT, [mention("negated", 16, "other_role")]) == "role"
