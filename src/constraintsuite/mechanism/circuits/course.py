"""The steps of a search before they are taken: how many circuits each asks of how many contrasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.mechanism.circuits.judging import GREEDY
from constraintsuite.mechanism.circuits.records import MATCHES
from constraintsuite.mechanism.circuits.running import AT_ONCE
from constraintsuite.mechanism.circuits.settings import CircuitSettings
from constraintsuite.mechanism.contrasts.records import ContrastHalf

_BARE, _WHOLE = 2, 3  # rows of a contrast: better and worse, and the pair aside where plain relevance is asked for
_RUNS = 2  # clean and corrupt, which are run anew beside each lot of circuits
_KEPT = 2  # the full model and the empty circuit


class Call(NamedTuple):
    """Some circuits, each run on all of some contrasts."""

    circuits: int
    contrasts: int
    rows: int = _BARE

    @property
    def passes(self) -> int:
        """Forward passes of one row."""
        lots = ceil(self.circuits / AT_ONCE)
        return self.rows * self.contrasts * (self.circuits + _RUNS * lots)


@dataclass(frozen=True, slots=True)
class CircuitSearchPlan:
    """From the sizes of a curve and the contrasts of each half and control."""

    sizes: int
    find: int
    check: int
    controls: tuple[int, ...]
    settings: CircuitSettings

    def margins(self) -> list[Call]:
        """Both halves, with all and with nothing kept."""
        return [Call(_KEPT, self.find), Call(_KEPT, self.check)]

    def curve(self) -> list[Call]:
        """Each size on both halves, beside random circuits, and the area."""
        band = [Call(self.settings.band, self.check)] * self.sizes
        return [
            Call(self.sizes, self.find),
            Call(self.sizes + 1, self.check, _WHOLE),
            *band,
            Call(self.sizes, self.check),
        ]

    def chance(self) -> list[Call]:
        """The circuit beside random ones."""
        return [Call(1, self.check), *[Call(self.settings.chance, self.check)] * len(MATCHES)]

    def completeness(self, size: int) -> list[Call]:
        """Circuit and model without the same members; those that hurt most are sought one by one."""
        greedy = min(GREEDY, size)
        parts = min(self.settings.parts, 2**size - 1) + greedy
        return [*(Call(2 * (size - gone), self.find) for gone in range(greedy)), Call(2 * parts, self.check)]

    def members(self, size: int) -> list[Call]:
        """The circuit without each."""
        return [Call(size + 1, self.check)]

    def specificity(self) -> list[Call]:
        """The circuit on what is studied, and on each kind of controls."""
        return [Call(1, self.check), *(Call(count, some) for some in self.controls for count in (_KEPT, 1))]


def refuse_none(contrasts: int, half: ContrastHalf, settings: CircuitSettings) -> None:
    """A circuit is found on one half and judged on the other, so that each must have some."""
    if not contrasts:
        raise UserError(
            f"No contrast of the side {settings.side!r} in the half {half!r} can be asked under the ablation "
            f"{settings.ablation!r}. Bring more contrasts, or choose another side or ablation."
        )


def count_runs(calls: Sequence[Call]) -> int:
    """Of a circuit on a contrast."""
    return sum(call.circuits * call.contrasts for call in calls)


def count_passes(calls: Sequence[Call]) -> int:
    """Forward passes of one row."""
    return sum(call.passes for call in calls)
