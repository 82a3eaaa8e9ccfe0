from __future__ import annotations

import pytest

from constraintsuite.core.records.text import Span
from constraintsuite.text.base import Scope, ScopeKind
from constraintsuite.text.polarity import judge_mention

Y = Span(20, 22)


def scope(kind: ScopeKind, cue: int, start: int, end: int) -> Scope:
    return Scope(start, end, kind, cue, cue + 1, f"{kind}_{cue}")


@pytest.mark.parametrize(
    ("scopes", "verdict"),
    [
        ([], "affirmed"),
        ([scope("negated", 0, 1, 30)], "negated"),
        ([scope("negated", 0, 1, 21)], "affirmed"),  # covers a part only
        ([scope("negated", 0, 1, 30), scope("negated", 5, 6, 30)], "affirmed"),  # one governs the other
        ([scope("negated", 0, 15, 30), scope("negated", 5, 6, 30)], "negated"),  # side by side they agree
        ([scope("negated", 0, 1, 30), scope("negated", 3, 4, 30), scope("negated", 5, 6, 30)], "negated"),
        ([scope("negated", 0, 1, 30), scope("negated", 0, 10, 30)], "negated"),  # two stretches of one cue
        ([scope("negated", 0, 1, 30), scope("uncertain", 5, 6, 30)], "uncertain"),
        ([scope("uncertain", 0, 1, 30), scope("affirmed", 5, 6, 30)], "affirmed"),
    ],
)
def test_verdict_from_scopes(scopes: list[Scope], verdict: str) -> None:
    assert judge_mention(Y, scopes).verdict == verdict
