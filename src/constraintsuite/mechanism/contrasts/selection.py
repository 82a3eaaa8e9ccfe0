"""Fewer contrasts than there are, still even over what matters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, SIDES, Contrast, ControlKind, Side


def keep_kinds(
    contrasts: Sequence[Contrast],
    *,
    sides: Collection[Side] = SIDES,
    controls: Collection[ControlKind] = CONTROL_KINDS,
) -> list[Contrast]:
    """The contrasts of some sides and kinds, in order; `controls=("",)` are those that are studied themselves."""
    return [contrast for contrast in contrasts if contrast.side in sides and contrast.control in controls]


def choose(contrasts: Sequence[Contrast], limit: int | None, seed: int) -> list[Contrast]:
    """At most `limit`, in order, dealt evenly over kind, side, slice and half; more contrasts change little of the choice."""
    if limit is None or limit >= len(contrasts):
        return list(contrasts)
    groups: dict[tuple[str, ...], list[Contrast]] = defaultdict(list)
    for contrast in sorted(contrasts, key=lambda one: stable_hash("choice", str(seed), one.id)):
        groups[contrast.control, contrast.side, contrast.suite, contrast.half].append(contrast)
    rounds = sorted((turn, group, contrast.id) for group, some in groups.items() for turn, contrast in enumerate(some))
    chosen = {name for _, _, name in rounds[:limit]}
    return [contrast for contrast in contrasts if contrast.id in chosen]
