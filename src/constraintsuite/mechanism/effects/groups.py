"""The groups of contrasts that figures are over: sides are never merged, nor are controls with what is studied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, SIDES, ContrastSide, ControlKind, MarkedContrast
from constraintsuite.mechanism.effects.records import BoolArray

EVERY, CORRECT, FAILED = "all", "correct", "failed"


def studied_items(contrasts: Iterable[MarkedContrast]) -> tuple[str, ...]:
    """The groups of all that is studied: `all` where that is of one side, else each side for itself."""
    sides = _sides("", contrasts)
    return sides if len(sides) > 1 else (EVERY,)


def part_of(items: str, part: str) -> str:
    """The name of the contrasts of such a group that the model gets right (CORRECT), or not (FAILED)."""
    return part if items == EVERY else f"{items} {part}"


def groups_of(
    some: Sequence[MarkedContrast], right: BoolArray, everyone: Iterable[MarkedContrast]
) -> dict[str, BoolArray]:
    """Which of some contrasts are in which group; their names depend on all contrasts that there are, not on these alone."""
    everyone = list(everyone)
    groups: dict[str, BoolArray] = {}
    for kind in CONTROL_KINDS:
        sides = _sides(kind, everyone)
        for side in sides:
            items = _name(kind, side if len(sides) > 1 else "")
            mine = np.array([(one.control, one.side) == (kind, side) for one in some], dtype=bool)
            groups[items] = mine
            if not kind:
                groups |= {part_of(items, CORRECT): mine & right, part_of(items, FAILED): mine & ~right}
    return {items: keep for items, keep in groups.items() if keep.any()}


def _sides(kind: ControlKind, contrasts: Iterable[MarkedContrast]) -> tuple[ContrastSide, ...]:
    there = {one.side for one in contrasts if one.control == kind}
    return tuple(side for side in SIDES if side in there)


def _name(kind: ControlKind, side: str) -> str:
    return " ".join(filter(None, (side, kind))) or EVERY
