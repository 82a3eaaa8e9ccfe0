"""What a search will do and cost: circuits, contrasts and forward passes of each step."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.mechanism.circuits.quality import GREEDY
from constraintsuite.mechanism.circuits.records import MATCHES, CircuitSettings
from constraintsuite.mechanism.circuits.runner import AT_ONCE, CircuitRunner, asked_sizes, lots
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.explain.folder import Explained
from constraintsuite.mechanism.patching.capacity import done_a_second
from constraintsuite.mechanism.sites import parse_site

_BARE, _WHOLE = 2, 3  # rows of a contrast: better and worse, and the pair aside where plain relevance is asked for
_RUNS = 2  # clean and corrupt, which are run anew beside each lot of circuits
_KEPT = 2  # the full model and the empty circuit


class Call(NamedTuple):
    """Some circuits, each run on all of some contrasts."""

    circuits: int
    contrasts: int
    rows: int = _BARE

    @property
    def runs(self) -> int:
        """Runs of one circuit on one contrast."""
        return self.circuits * self.contrasts

    @property
    def passes(self) -> int:
        """Forward passes of one row."""
        lots = ceil(self.circuits / AT_ONCE)
        return self.rows * self.contrasts * (self.circuits + _RUNS * lots)


def search_steps(
    sizes: int, halves: Sequence[int], controls: Sequence[int], settings: CircuitSettings, size: int = 1
) -> dict[str, list[Call]]:
    """The steps of a search by title, from the sizes of its curve, the contrasts of each half and kind of controls.

    Completeness and members depend on `size`, the sites of the circuit that is found.
    """
    find, check = halves
    greedy = min(GREEDY, size)
    parts = min(settings.parts, 2**size - 1) + greedy
    band = [Call(settings.band, check)] * sizes
    return {
        # Both halves, with all and with nothing kept.
        "margins": [Call(_KEPT, find), Call(_KEPT, check)],
        # Each size on both halves, beside random circuits, and the area.
        "curve": [Call(sizes, find), Call(sizes + 1, check, _WHOLE), *band, Call(sizes, check)],
        "random circuits": [Call(1, check), *[Call(settings.chance, check)] * len(MATCHES)],
        # Circuit and model without the same members; those that hurt most are sought one by one.
        "completeness": [*(Call(2 * (size - gone), find) for gone in range(greedy)), Call(2 * parts, check)],
        "members": [Call(size + 1, check)],
        # The circuit on what is studied, and on each kind of controls.
        "controls": [Call(1, check), *(Call(count, some) for some in controls for count in (_KEPT, 1))],
    }


def refuse_none(contrasts: int, half: ContrastHalf, settings: CircuitSettings) -> None:
    """A circuit is found on one half and judged on the other, so that each must have some."""
    if not contrasts:
        raise UserError(
            f"No contrast of the side {settings.side!r} in the half {half!r} can be asked under the ablation "
            f"{settings.ablation!r}. Bring more contrasts, or choose another side or ablation."
        )


_TRACED = 4  # a forward and a backward pass of the run that is patched, a forward of the other


@dataclass(frozen=True, slots=True)
class CircuitPlan:
    """Passes of each step, about: pairs aside and circuits of which there are only a few are counted as if they were there."""

    sites: int
    contrasts: int
    sizes: tuple[int, int]
    """The smallest and the largest circuit that there can be; which it is, is found on the way."""
    curve: int
    """The model as it is, circuits of growing size, and random ones beside them."""
    chance: int
    controls: int
    untrained: int
    members: tuple[int, int]
    """Completeness and what is lost without each member, of the smallest circuit and of the largest."""

    @property
    def forwards(self) -> tuple[int, int]:
        """All of them, for the smallest circuit and for the largest."""
        known = self.curve + self.chance + self.controls + self.untrained
        least, most = self.members
        return known + least, known + most


def plan_circuit(explained: Explained, settings: CircuitSettings) -> CircuitPlan:
    """From an explain folder alone; its model is not loaded."""
    sites = explained.model.layers * (explained.model.heads + 1)
    sizes = asked_sizes(sites, settings.size)
    ends = (settings.size, settings.size) if settings.size else (sizes[0], sizes[-1])
    studied = [one for one in explained.contrasts if not one.control and one.side == settings.side]
    halves = Counter(one.half for one in studied)
    for half in HALVES:
        refuse_none(halves[half], half, settings)
    find, check = (_at_most(settings.limit, halves[half]) for half in HALVES)
    controls = _controls(explained, settings)
    patched = sites + 2 if _method(explained, settings, sites) == "exact" else _TRACED
    asked = settings.random_models * _at_most(settings.random_contrasts, check)
    least, most = (
        {
            title: sum(call.passes for call in calls)
            for title, calls in search_steps(len(sizes), (find, check), controls, settings, size).items()
        }
        for size in ends
    )
    return CircuitPlan(
        sites=sites,
        contrasts=find + check,
        sizes=ends,
        curve=least["margins"] + least["curve"],
        chance=least["random circuits"],
        controls=least["controls"],
        untrained=_BARE * asked * patched,
        members=(least["completeness"] + least["members"], most["completeness"] + most["members"]),
    )


def _controls(explained: Explained, settings: CircuitSettings) -> list[int]:
    """Contrasts of each kind of controls, of the half check where a kind has any there."""
    counts = Counter((one.control, one.half) for one in explained.contrasts if one.control)
    kinds = sorted({kind for kind, _ in counts})
    return [_at_most(settings.limit, counts[kind, "check"] or counts[kind, "find"]) for kind in kinds]


def _method(explained: Explained, settings: CircuitSettings, sites: int) -> str:
    """Exact effects where every head and MLP has them, as the search takes them."""
    exact = {
        one.site
        for one in explained.summary.sites
        if (one.method, one.role, one.direction) == ("exact", ALL, settings.direction)
        and parse_site(one.site).kind in ("head", "mlp")
    }
    return settings.method or ("exact" if len(exact) == sites else "attribution")


def _at_most(limit: int | None, count: int) -> int:
    return count if limit is None else min(limit, count)


_CIRCUITS = 8


def passes_a_second(
    runner: CircuitRunner, contrasts: Sequence[TokenContrast], seed: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Forward passes of one row in a second, of random circuits on contrasts of middle length."""
    chance = keyed_random(seed, "circuits", "trial")
    every = lots(contrasts)
    some = [contrasts[i] for i in every[len(every) // 2]]
    circuits = [frozenset(chance.sample(runner.sites, len(runner.sites) // 2)) for _ in range(_CIRCUITS)]
    call = Call(len(set(circuits)), len(some))

    def run() -> int:
        runner.margins(circuits, some)
        return call.passes

    return done_a_second(run, clock)
