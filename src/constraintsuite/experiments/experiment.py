"""A finished run of any kind as an experiment: its outcome table, and what must be equal before two are compared.

Milliseconds cannot be compared between machines, nor on one machine while it is busy. So a fixed piece of work, the
calibration, is timed together with the searches, and speeds are compared in units of that work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.experiments.compare import Comparison, SystemPair, changed_items, compare_systems
from constraintsuite.experiments.load import name_folders
from constraintsuite.experiments.outcome_table import OVERALL, Details, JoinedTable, OutcomeTable


@dataclass(frozen=True, slots=True)
class SystemSpeed:
    """The speed of one system in one group that is never pooled; the time of an item is the median of its repetitions."""

    system: str
    group: str
    """`overall`, or a group such as `budget=10`."""
    items: int
    repetitions: int
    """Number of warm repetitions, after the first search."""
    cold_ms: float
    """Median time of the first searches."""
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
    """A finished run: what was measured, on which data, and under which conditions."""

    path: Path
    kind: str
    """The kind of artifact, such as `run` or `memory_run`. Only experiments of one kind are compared."""
    name: str
    """The name of its system, or of the benchmark if it holds several systems."""
    data: str
    """The name of the data, such as the name of a suite."""
    table: OutcomeTable
    inputs: Mapping[str, str]
    """Hashes that must be equal in experiments that are compared."""
    conditions: Mapping[str, object] = field(default_factory=dict)
    """Settings that must be equal."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Settings that may differ; settings of a single system are a mapping under its name."""
    ties: str | None = None
    """The rule for ties, if the kind of run has one."""
    reference: str | None = None
    """The system that others are compared with by default; None: each is compared with each."""
    leading: tuple[str, ...] = ()
    """If there are very many systems, those to compare; empty: all."""
    timing: Timing | None = None
    total: str = OVERALL
    """The group of all items that count: `headline` for a suite of pairs."""
    missing: int = 0
    """Number of items of the data without a result, if known."""
    watched: tuple[str, ...] = ()
    """Metrics that a gate without a policy checks."""


@dataclass(frozen=True)
class OpenOptions:
    """Options for reading a folder as an experiment."""

    suite: Path | None = None
    """The suite of a run, if it was moved."""
    rule: TieRule = STRICT


OpenExperiment = Callable[[Path, OpenOptions], Experiment]
"""Reads a finished folder of one kind."""


class NothingToCompareError(UserError):
    """There are no two systems with a value for the same items."""


class JoinedExperiments(NamedTuple):
    """Several experiments in one table, and the pairs of systems to compare."""

    table: OutcomeTable
    pairs: list[SystemPair]
    left_out: int
    """Number of items that some experiment does not have."""


def join_experiments(experiments: Sequence[Experiment], against: str | None = None) -> JoinedExperiments:
    """Put all systems into one table, and choose the pairs to compare.

    - The systems of a single experiment are compared with `against` or its reference; without either, each with each.
    - Experiments of one system each are compared with `against`, or each with each.
    - Experiments of several systems each are compared with the first, system by system. If the two share no system, all
      systems of the first are compared with all of the other.
    """
    if len(experiments) == 1:
        (one,) = experiments
        reference = against or (one.reference if one.reference in one.table.systems else None)
        return JoinedExperiments(one.table, _pairs_among(one.table.systems, reference, one.leading), 0)
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
    pairs = _pairs_among(list(named), against) if alone else list(_pairs_across(named, len(tables)))
    if leading := list(dict.fromkeys(system for one in experiments for system in one.leading)):
        known = [pair for pair in pairs if all(named[label][1] in leading for label in pair)]
        pairs = sorted(known, key=lambda pair: leading.index(named[pair.first][1]))
    most = max(len(each.items) for each in tables)
    return JoinedExperiments(table, pairs, most - len(table.items))


def compare_experiments(
    experiments: Sequence[Experiment],
    metrics: Sequence[str] = (),
    *,
    by: str | None = None,
    against: str | None = None,
    seed: int = 0,
    changed: int | None = 0,
) -> Comparison:
    """Compare systems in every metric (by default the headline metric), over all items and for each group of `by`."""
    first = experiments[0]
    table, pairs, left_out = join_experiments(experiments, against)
    if not pairs:
        raise NothingToCompareError(
            f"{first.path}: it holds fewer than two systems. Name a second run to compare it with."
        )
    wanted = list(metrics) or [table.headline_metric]
    parts = table.parts(by, total=first.total)
    tests = compare_systems(table, pairs, wanted, parts, seed=seed)
    if table.within is not None:  # one of the two systems may not have been measured in a group
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
        settings={system: found for system in table.systems if (found := _settings(table, system, parts))},
    )


def _settings(table: OutcomeTable, system: str, groups: Iterable[str]) -> dict[str, Details]:
    return {group: found for group in groups if (found := table.settings_in(system, group))}


def refuse_unlike(first: Experiment, second: Experiment) -> None:
    """Refuse to compare experiments of different kinds, on different data or under different conditions."""
    if first.kind != second.kind:
        raise UserError(
            f"{first.path} is of the kind {first.kind}, {second.path} of the kind {second.kind}. Compare runs of one kind."
        )
    for name in sorted(first.inputs.keys() | second.inputs.keys()):
        if first.inputs.get(name) != second.inputs.get(name):
            raise UserError(
                f"{first.path} and {second.path} are not of the same data: the {name} of {second.data} differs from "
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
    """A sentence for each option that differs between two experiments, or between the systems that both have."""
    before, after = first.options, second.options
    pairs: dict[str, tuple[Mapping[str, object], Mapping[str, object]]] = {"": (_plain(before), _plain(after))}
    for system, options in before.items():
        other = after.get(system)
        if isinstance(options, Mapping) and isinstance(other, Mapping):
            pairs[f"{system}: "] = options, other
    for prefix, (old, new) in pairs.items():
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield f"{prefix}{name} was {old.get(name)}, and is {new.get(name)}."


def _plain(options: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in options.items() if not isinstance(value, Mapping)}


def _pairs_across(named: Mapping[str, tuple[int, str]], tables: int) -> Iterator[SystemPair]:
    """Pairs of the first table with every other one; `named` gives the table and the system of each label."""
    for other in range(1, tables):
        first, second = ({label: one for label, (number, one) in named.items() if number == n} for n in (0, other))
        shared = set(first.values()) & set(second.values())
        for label, system in first.items():
            yield from (SystemPair(label, to) for to, one in second.items() if not shared or one == system)


def _pairs_among(systems: Sequence[str], reference: str | None, leading: Sequence[str] = ()) -> list[SystemPair]:
    """Each system with each, or the leading ones (by default all) with a reference."""
    if reference is None:
        return [SystemPair(*pair) for pair in combinations(systems, 2)]
    if reference not in systems:
        raise UserError(f"--against: no system named {reference!r}. {hint_for(reference, systems)}")
    return [SystemPair(reference, system) for system in leading or systems if system != reference]
