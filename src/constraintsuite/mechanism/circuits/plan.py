"""What a circuit costs before it is looked for: forward passes of one row, where a backward pass counts as two."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from constraintsuite.mechanism.circuits.choosing import asked_sizes
from constraintsuite.mechanism.circuits.course import CircuitSearchPlan, count_passes, refuse_none
from constraintsuite.mechanism.circuits.settings import CircuitSettings
from constraintsuite.mechanism.contrasts.records import HALVES
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.explain.records import Explained
from constraintsuite.mechanism.sites import parse_site

_ROWS = 2  # better and worse
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
    sites = explained.subject.layers * (explained.subject.heads + 1)
    sizes = asked_sizes(sites, settings.size)
    ends = (settings.size, settings.size) if settings.size else (sizes[0], sizes[-1])
    studied = [one for one in explained.contrasts if not one.control and one.side == settings.side]
    halves = Counter(one.half for one in studied)
    for half in HALVES:
        refuse_none(halves[half], half, settings)
    find, check = (_at_most(settings.limit, halves[half]) for half in HALVES)
    course = CircuitSearchPlan(len(sizes), find, check, tuple(_controls(explained, settings)), settings)
    patched = sites + 2 if _method(explained, settings, sites) == "exact" else _TRACED
    asked = settings.random_models * _at_most(settings.random_contrasts, check)
    least, most = (count_passes([*course.completeness(size), *course.members(size)]) for size in ends)
    return CircuitPlan(
        sites=sites,
        contrasts=find + check,
        sizes=ends,
        curve=count_passes([*course.margins(), *course.curve()]),
        chance=count_passes(course.chance()),
        controls=count_passes(course.specificity()),
        untrained=_ROWS * asked * patched,
        members=(least, most),
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
