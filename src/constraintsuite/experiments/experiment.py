"""A finished run of any kind as an experiment: its outcome table, and what must be the same before two are compared.

Times are compared in the machine's own measure: a millisecond on one machine is not one on another, nor on the same one while it
is busy. So a fixed piece of work is timed beside the searches (the calibration), and speeds are told in units of that work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.experiments.compare import Comparison, SystemPair, changed_items, compare_systems
from constraintsuite.experiments.load import name_folders
from constraintsuite.experiments.outcome_table import OVERALL, JoinedTable, OutcomeTable


@dataclass(frozen=True, slots=True)
class SystemSpeed:
    """Of one system in one group that is never pooled; the time of an item is the median of its repetitions."""

    system: str
    group: str
    """`overall`, or the group as in `budget=10`."""
    items: int
    repetitions: int
    """Warm ones, after the first."""
    cold_ms: float
    """Median of the first times."""
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Timing:
    """The speeds of systems that were timed together on one machine, and how long its calibration took."""

    calibration_ms: float
    speeds: tuple[SystemSpeed, ...]

    def __post_init__(self) -> None:
        times = [self.calibration_ms, *(time for speed in self.speeds for time in (speed.p50_ms, speed.p95_ms))]
        if not all(0 < time < float("inf") for time in times):
            raise ValueError("a time is not a positive number")

    def find(self, system: str, group: str) -> SystemSpeed | None:
        """The speed of a system in a group, if it was timed."""
        return next((speed for speed in self.speeds if (speed.system, speed.group) == (system, group)), None)


@dataclass(frozen=True)
class Experiment:
    """What was measured, on what, and under which conditions."""

    path: Path
    kind: str
    """The kind of artifact, such as `run` or `memory_run`: only experiments of one kind are compared."""
    name: str
    """What to call it among others: the system, or the benchmark where it holds several systems."""
    data: str
    """The name of what was measured on, such as a suite."""
    table: OutcomeTable
    inputs: Mapping[str, str]
    """Hashes of what must be the same in experiments that are compared."""
    conditions: Mapping[str, object] = field(default_factory=dict)
    """Settings that must be the same."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Settings that may differ, and are told where they do; those of one of several systems under its name."""
    ties: str | None = None
    """What equal scores count, where that is a question."""
    reference: str | None = None
    """The system that the others are compared with unless told otherwise; None: each with each."""
    leading: tuple[str, ...] = ()
    """Of very many systems, those that are compared: with the reference, or with themselves in another experiment; empty: all."""
    timing: Timing | None = None
    total: str = OVERALL
    """The group that stands for everything: `headline` of a suite of pairs."""
    missing: int = 0
    """Items of the data that the run has no result for, where that is known."""
    watched: tuple[str, ...] = ()
    """Metrics that a gate without a policy looks at."""


@dataclass(frozen=True)
class OpenOptions:
    """How a folder is opened."""

    suite: Path | None = None
    """Where the suite of a run lies, if it was moved."""
    rule: TieRule = STRICT
    """What equal scores count."""


OpenExperiment = Callable[[Path, OpenOptions], Experiment]
"""Reads a finished folder of one kind."""


class NothingToCompareError(UserError):
    """There are no two systems with a value for the same items."""


class SideBySide(NamedTuple):
    """Experiments in one table, and which systems of it are compared."""

    table: OutcomeTable
    pairs: list[SystemPair]
    left_out: int
    """Items that some experiment does not have."""


def join_experiments(experiments: Sequence[Experiment], against: str | None = None) -> SideBySide:
    """One table of all systems.

    The systems of a single experiment are compared with its reference (or with `against`), or each with each. Experiments of
    one system each are compared pair by pair, or all with the one that `against` names; of several systems each, system by
    system with the first experiment, or all of the first with all of the other where the two share no system.
    """
    if len(experiments) == 1:
        (one,) = experiments
        return SideBySide(one.table, _within(one, against), 0)
    for other in experiments[1:]:
        refuse_unlike(experiments[0], other)
    tables = [one.table for one in experiments]
    places = [(number, system) for number, table in enumerate(tables) for system in table.systems]
    labels = name_folders([(system, experiments[number].path) for number, system in places])
    named = dict(zip(labels, places, strict=True))
    table = JoinedTable(tables, named)
    alone = all(len(each.systems) == 1 for each in tables)
    if against is not None and not alone:
        raise UserError("--against: these runs hold several systems each. Give one of them, or leave --against out.")
    pairs = _among(list(named), against) if alone else list(_across(named, len(tables)))
    if leading := list(dict.fromkeys(system for one in experiments for system in one.leading)):
        known = [pair for pair in pairs if all(named[label][1] in leading for label in pair)]
        pairs = sorted(known, key=lambda pair: leading.index(named[pair.first][1]))
    most = max(len(each.items) for each in tables)
    return SideBySide(table, pairs, most - len(table.items))


def compare_experiments(
    experiments: Sequence[Experiment],
    metrics: Sequence[str] = (),
    *,
    by: str | None = None,
    against: str | None = None,
    seed: int = 0,
    changed: int | None = 0,
) -> Comparison:
    """All pairs of systems in every metric (the headline metric unless named), over everything and by group."""
    first = experiments[0]
    table, pairs, left_out = join_experiments(experiments, against)
    if not pairs:
        raise NothingToCompareError(
            f"{first.path}: it holds fewer than two systems. Name a second run to compare it with."
        )
    wanted = list(metrics) or [table.headline_metric]
    parts = table.parts(by, total=first.total)
    tests = compare_systems(table, pairs, wanted, parts, seed=seed)
    if table.within is not None:  # one of the two was not measured in that group
        tests = [test for test in tests if test.difference.n]
    if not tests:
        raise NothingToCompareError(
            f"{first.path}: no two systems have a value of {', '.join(wanted)} for the same items."
        )
    return Comparison(
        data=first.data,
        ties=first.ties,
        systems=tuple(table.systems),
        titles={name: table.metric(name).title for name in wanted},
        items=len(table.main),
        left_out=left_out,
        tests=tuple(tests),
        changes={
            f"{pair.first} -> {pair.second}": changed_items(table, pair, wanted[0], table.members(first.total), changed)
            for pair in pairs
        },
        settings={
            system: settings
            for system in table.systems
            if (settings := {group: found for group in parts if (found := table.settings_in(system, group))})
        },
    )


def refuse_unlike(first: Experiment, second: Experiment) -> None:
    """Differences mean something only on the same items, asked under the same conditions."""
    if first.kind != second.kind:
        raise UserError(
            f"{first.path} is of the kind {first.kind}, {second.path} of the kind {second.kind}. Compare runs of one kind."
        )
    for name in sorted(first.inputs.keys() | second.inputs.keys()):
        if first.inputs.get(name) != second.inputs.get(name):
            raise UserError(
                f"{first.path} and {second.path} are not of the same data: the {name} of {second.data} is not that of "
                f"{first.data}, or is an earlier state of it. Make both runs on the same data, or leave one out."
            )
    for name in sorted(first.conditions.keys() | second.conditions.keys()):
        one, other = first.conditions.get(name), second.conditions.get(name)
        if one != other:
            raise UserError(
                f"{first.path} was run with {name} {one}, {second.path} with {other}: their figures cannot be compared. "
                "Make both runs under the same conditions."
            )


def differing_options(first: Experiment, second: Experiment) -> Iterator[str]:
    """What may differ between experiments that are compared, and does; of systems, those that both have."""
    own = [{k: v for k, v in one.options.items() if not isinstance(v, Mapping)} for one in (first, second)]
    yield from _differences("", own[0], own[1])
    for system, options in first.options.items():
        other = second.options.get(system)
        if isinstance(options, Mapping) and isinstance(other, Mapping):
            yield from _differences(f"{system}: ", options, other)


def _differences(of: str, first: Mapping[str, object], second: Mapping[str, object]) -> Iterator[str]:
    for name in sorted(first.keys() | second.keys()):
        one, other = first.get(name), second.get(name)
        if one != other:
            yield f"{of}{name} was {one}, and is {other}."


def _across(named: Mapping[str, tuple[int, str]], tables: int) -> Iterator[SystemPair]:
    """Each of the first table with that of the same name in every other, or with all of one that shares no name with it."""
    for other in range(1, tables):
        first, second = ({label: one for label, (number, one) in named.items() if number == n} for n in (0, other))
        shared = set(first.values()) & set(second.values())
        for label, system in first.items():
            yield from (SystemPair(label, to) for to, one in second.items() if not shared or one == system)


def _within(one: Experiment, against: str | None) -> list[SystemPair]:
    systems = one.table.systems
    reference = against or (one.reference if one.reference in systems else None)
    return _among(systems, reference, one.leading)


def _among(systems: Sequence[str], reference: str | None, leading: Sequence[str] = ()) -> list[SystemPair]:
    """Each with each, or the leading ones (all, unless some lead) with a reference."""
    if reference is None:
        return [SystemPair(*pair) for pair in combinations(systems, 2)]
    if reference not in systems:
        raise UserError(f"--against: no system named {reference!r}. {hint_for(reference, systems)}")
    return [SystemPair(reference, system) for system in leading or systems if system != reference]
