"""What a text says of each mention of Y, as such or in one role."""

from __future__ import annotations

import pytest

from constraintsuite.suites.constraints.exclude import Exclude, judge_y
from suites.reading.reader import KNOWLEDGE, analyse, both_analysers


def verdicts(constraint: Exclude, text: str, analyser: str = "rules") -> list[tuple[str, str]]:
    """Text and verdict of each mention."""
    judged = judge_y(constraint, analyse(text, analyser), "Red Weir", KNOWLEDGE)
    return [(one.span.of(text), one.verdict) for one in judged]


def test_without_a_role_a_mention_is_judged_by_what_is_denied() -> None:
    pools = Exclude(value="pools", cue="without", forms=("pool", "pools"))
    assert verdicts(pools, "The inn has no pool.") == [("pool", "negated")]
    assert verdicts(pools, "The inn has a pool.") == [("pool", "affirmed")]


DIRECTED = Exclude(value="Ann Example", cue="not", forms=("Ann Example", "Example"), role="directed_by")
FILM = "Red Weir is a 1961 drama film"


@both_analysers
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{FILM} directed by Ann Example.", "affirmed"),
        (f"{FILM} written and directed by Ann Example.", "affirmed"),
        (f"{FILM} directed by Bob Stone and starring Ann Example.", "negated"),
        (f"{FILM} written by Ann Example and directed by Bob Stone.", "negated"),
        (f"{FILM} that Ann Example liked.", "uncertain"),
    ],
)
def test_in_a_role_another_role_denies_and_no_role_leaves_it_open(text: str, expected: str, analyser: str) -> None:
    assert verdicts(DIRECTED, text, analyser) == [("Ann Example", expected)]


def test_a_text_without_the_person_has_nothing_to_judge() -> None:
    assert verdicts(DIRECTED, f"{FILM} directed by Bob Stone.") == []
