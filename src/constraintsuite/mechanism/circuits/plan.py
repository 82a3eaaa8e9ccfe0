"""The cost of a search: circuits, contrasts and forward passes of each step."""

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
from constraintsuite.mechanism.circuits.runner import AT_ONCE, CircuitRunner, group_by_length, sizes_to_run
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.explain.folder import Explained
from constraintsuite.mechanism.patching.capacity import done_a_second
from constraintsuite.mechanism.sites import parse_site

_BARE, _WHOLE = 2, 3  # rows of a contrast: better and worse, without and with the unrelated pair
_RUNS = 2  # clean and corrupt, which are run again for each lot of circuits
_KEPT = 2  # the full model and the empty circuit


class Call(NamedTuple):
    """Some circuits, each run on some contrasts."""

    circuits: int
    contrasts: int
    rows: int = _BARE

    @property
    def runs(self) -> int:
        """The number of runs of one circuit on one contrast."""
        return self.circuits * self.contrasts

    @property
    def passes(self) -> int:
        """The number of forward passes of one row."""
        return self.rows * self.contrasts * (self.circuits + _RUNS * ceil(self.circuits / AT_ONCE))


def search_steps(
    sizes: int, halves: Sequence[int], controls: Sequence[int], settings: CircuitSettings, size: int = 1
) -> dict[str, list[Call]]:
    """The steps of a search by title, from the number of sizes of its curve, and of contrasts per half and kind of control.

    The cost of completeness and members depends on `size`, the number of sites of the circuit that is found.
    """
    selection, held_out = halves
    greedy = min(GREEDY, size)
    parts = min(settings.parts, 2**size - 1) + greedy
    band = [Call(settings.band, held_out)] * sizes
    return {
        # Both halves, with everything and with nothing kept.
        "margins": [Call(_KEPT, selection), Call(_KEPT, held_out)],
        # Each size on both halves, random circuits, and the area.
        "curve": [Call(sizes, selection), Call(sizes + 1, held_out, _WHOLE), *band, Call(sizes, held_out)],
        "random circuits": [Call(1, held_out), *[Call(settings.chance, held_out)] * len(MATCHES)],
        # Circuit and model without the same members; the greedy search removes one member at a time.
        "completeness": [*(Call(2 * (size - gone), selection) for gone in range(greedy)), Call(2 * parts, held_out)],
        "members": [Call(size + 1, held_out)],
        # The circuit on the main contrasts, and on each kind of control.
        "controls": [Call(1, held_out), *(Call(count, some) for some in controls for count in (_KEPT, 1))],
    }


def require_contrasts(contrasts: int, half: ContrastHalf, settings: CircuitSettings) -> None:
    """Raise a UserError for a half without contrasts: a circuit is found on one half and tested on the other."""
    if not contrasts:
        raise UserError(
            f"No contrast of the side {settings.side!r} in the half {half!r} can be asked under the ablation "
            f"{settings.ablation!r}. Bring more contrasts, or choose another side or ablation."
        )


_TRACED = 4  # a forward and a backward pass of the run that is patched, a forward of the other


@dataclass(frozen=True, slots=True)
class CircuitPlan:
    """Passes of each step, approximately: unrelated pairs and random circuits are counted as if there were always enough."""

    sites: int
    contrasts: int
    sizes: tuple[int, int]
    """The smallest and the largest possible circuit; the search decides which it is."""
    curve: int
    """The unchanged model, circuits of growing size, and random circuits of these sizes."""
    chance: int
    controls: int
    untrained: int
    members: tuple[int, int]
    """Completeness and the loss without each member, for the smallest and the largest circuit."""

    @property
    def forwards(self) -> tuple[int, int]:
        """All passes, for the smallest and the largest circuit."""
        known = self.curve + self.chance + self.controls + self.untrained
        least, most = self.members
        return known + least, known + most


def plan_circuit(explained: Explained, settings: CircuitSettings) -> CircuitPlan:
    """Plan a search from an explain folder alone; its model is not loaded."""
    sites = explained.model.layers * (explained.model.heads + 1)
    sizes = sizes_to_run(sites, settings.size)
    ends = (settings.size, settings.size) if settings.size else (sizes[0], sizes[-1])
    studied = [one for one in explained.contrasts if not one.control and one.side == settings.side]
    halves = Counter(one.half for one in studied)
    for half in HALVES:
        require_contrasts(halves[half], half, settings)
    selection, held_out = (_at_most(settings.limit, halves[half]) for half in HALVES)
    controls = _controls(explained, settings)
    patched = sites + 2 if _method(explained, settings, sites) == "exact" else _TRACED
    asked = settings.random_models * _at_most(settings.random_contrasts, held_out)
    least, most = (
        {
            title: sum(call.passes for call in calls)
            for title, calls in search_steps(len(sizes), (selection, held_out), controls, settings, size).items()
        }
        for size in ends
    )
    return CircuitPlan(
        sites=sites,
        contrasts=selection + held_out,
        sizes=ends,
        curve=least["margins"] + least["curve"],
        chance=least["random circuits"],
        controls=least["controls"],
        untrained=_BARE * asked * patched,
        members=(least["completeness"] + least["members"], most["completeness"] + most["members"]),
    )


def _controls(explained: Explained, settings: CircuitSettings) -> list[int]:
    """The number of contrasts of each kind of control, from the half `check` if there are any."""
    counts = Counter((one.control, one.half) for one in explained.contrasts if one.control)
    kinds = sorted({kind for kind, _ in counts})
    return [_at_most(settings.limit, counts[kind, "check"] or counts[kind, "find"]) for kind in kinds]


def _method(explained: Explained, settings: CircuitSettings, sites: int) -> str:
    """The effects that the search will use: exact ones if every head and MLP has them."""
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


def passes_a_second(runner: CircuitRunner, clock: Callable[[], float] = time.perf_counter) -> float:
    """Forward passes of one row per second, measured with random circuits on contrasts of medium length."""
    chance = keyed_random(runner.seed, "circuits", "trial")
    every = group_by_length(runner.contrasts)
    some = [runner.contrasts[i] for i in every[len(every) // 2]]
    circuits = [frozenset(chance.sample(runner.sites, len(runner.sites) // 2)) for _ in range(_CIRCUITS)]
    call = Call(len(set(circuits)), len(some))

    def run() -> int:
        runner.margins(circuits, some)
        return call.passes

    return done_a_second(run, clock)
