from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from constraintsuite.mechanism.contrasts.records import Contrast, ControlKind
from constraintsuite.mechanism.contrasts.selection import choose, keep_kinds
from mechanism.contrasts.contrast_factory import exchange, swap


def _many() -> list[Contrast]:
    kinds: dict[ControlKind, int] = {"": 40, "idiom": 4}
    return [
        replace(swap(f"{kind}{i}"), control=kind, half="find" if i % 2 else "check")
        for kind, count in kinds.items()
        for i in range(count)
    ]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(4, {("", "find"): 1, ("", "check"): 1, ("idiom", "find"): 1, ("idiom", "check"): 1}),
     (20, {("", "find"): 8, ("", "check"): 8, ("idiom", "find"): 2, ("idiom", "check"): 2})],
)  # fmt: skip
def test_a_limit_is_dealt_evenly(limit: int, expected: dict[tuple[str, str], int]) -> None:
    chosen = choose(_many(), limit, seed=0)
    assert Counter((one.control, one.half) for one in chosen) == expected


def test_the_choice_keeps_the_order_and_depends_on_the_seed() -> None:
    contrasts = _many()
    chosen = choose(contrasts, 12, seed=0)
    assert chosen == [one for one in contrasts if one in chosen] == choose(contrasts[::-1], 12, seed=0)[::-1]
    assert chosen != choose(contrasts, 12, seed=1)
    assert choose(contrasts, None, seed=0) == choose(contrasts, 99, seed=0) == contrasts


def test_kinds_are_told_apart() -> None:
    contrasts = [swap(), exchange(), replace(swap("other"), control="idiom")]
    assert [one.id for one in keep_kinds(contrasts, controls=[""])] == ["swap", "exchange"]
    assert [one.id for one in keep_kinds(contrasts, sides=["query"])] == ["swap", "other"]
