"""Figures of a run with their intervals, and modes against a baseline on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.memory.differences import mean_difference
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.metrics.intervals import IntArray
from constraintsuite.metrics.resampling import estimate
from constraintsuite.metrics.significance import holm, sign_flip
from constraintsuite.records.scores import Interval

OVERALL = "overall"
COUNTS = frozenset({"units", "tokens"})
"""Metrics that are no part of 1; all others are, as recall and F1 are."""


@dataclass(frozen=True, slots=True)
class ModeFigure:
    """The mean of one metric over the items of a group."""

    mode: str
    budget: int
    metric: str
    group: str
    """`overall`, or `grouping=value`."""
    figure: Interval


@dataclass(frozen=True, slots=True)
class ModeDifference:
    """How far a mode is from the baseline at the same budget."""

    mode: str
    baseline: str
    budget: int
    metric: str
    difference: Interval
    """Paired, the mode less the baseline; n counts items that have both values."""
    p: float
    """Two-sided, of the sign-flip test by cluster."""
    holm: float
    """That p corrected for all contrasts that were asked for together."""


def figures_of(
    outcomes: Iterable[ItemResult], metrics: Sequence[str], *, by: str | None = None, seed: int = 0
) -> list[ModeFigure]:
    """Each metric of each mode and budget that has it, over all items and by group."""
    found = []
    cells = _cells(outcomes)
    for (mode, budget), rows in cells.items():
        known = _known(metrics, rows, cells)
        for group, members in _groups(rows, by).items():
            values = np.array([[_value(row, metric) for metric in known] for row in members])
            shares = [metric not in COUNTS for metric in known]
            intervals = estimate(values, shares, _clusters(members), rng=np.random.default_rng(seed))
            found += [
                ModeFigure(mode, budget, metric, group, figure) for metric, figure in zip(known, intervals, strict=True)
            ]
    return found


def contrasts_of(
    outcomes: Iterable[ItemResult], metrics: Sequence[str], *, baseline: str = "lexical_baseline", seed: int = 0
) -> list[ModeDifference]:
    """Every other mode against the baseline at the same budget."""
    cells = _cells(outcomes)
    if not any(cell.mode == baseline for cell in cells):
        there = ", ".join(dict.fromkeys(cell.mode for cell in cells))
        raise UserError(f"No outcome is of the baseline {baseline!r}. The modes are: {there}.")
    found = [
        _contrast(rows, cells[_Cell(baseline, cell.budget)], metric, seed)
        for cell, rows in cells.items()
        if cell.mode != baseline
        for metric in _known(metrics, rows, cells)
    ]
    corrected = holm([contrast.p for contrast in found])
    return [replace(contrast, holm=p) for contrast, p in zip(found, corrected, strict=True)]


class _Cell(NamedTuple):
    mode: str
    budget: int


def _cells(outcomes: Iterable[ItemResult]) -> dict[_Cell, list[ItemResult]]:
    cells: dict[_Cell, list[ItemResult]] = {}
    for outcome in outcomes:
        cells.setdefault(_Cell(outcome.mode, outcome.budget), []).append(outcome)
    return cells


def _contrast(rows: Sequence[ItemResult], baseline: Sequence[ItemResult], metric: str, seed: int) -> ModeDifference:
    other = {row.item: _value(row, metric) for row in baseline}
    pairs = np.array([(_value(row, metric), other.get(row.item, np.nan)) for row in rows])
    kept = ~np.isnan(pairs).any(axis=1)
    clusters = _clusters([row for row, keep in zip(rows, kept.tolist(), strict=True) if keep])
    differences = pairs[kept, 0] - pairs[kept, 1]
    interval = mean_difference(differences, clusters, bounded=metric not in COUNTS, seed=seed)
    p = sign_flip(differences, clusters, rng=np.random.default_rng(seed))
    return ModeDifference(rows[0].mode, baseline[0].mode, rows[0].budget, metric, interval, p, p)


def _groups(rows: Sequence[ItemResult], by: str | None) -> Mapping[str, list[ItemResult]]:
    groups: dict[str, list[ItemResult]] = {OVERALL: list(rows)}
    if by is not None:
        for row in sorted(rows, key=lambda row: row.groups.get(by, "")):
            groups.setdefault(f"{by}={row.groups.get(by, '')}", []).append(row)
    return groups


def _known(
    metrics: Sequence[str], rows: Sequence[ItemResult], cells: Mapping[_Cell, Sequence[ItemResult]]
) -> list[str]:
    """The metrics that these outcomes have; a small budget has no large cut-offs. One that none has is a UserError."""
    there = {name: None for each in cells.values() for name in each[0].values}
    unknown = [metric for metric in metrics if metric not in there]
    if unknown:
        raise UserError(f"No outcome has a metric {unknown[0]!r}. There are: {', '.join(there)}.")
    return [metric for metric in metrics if metric in rows[0].values]


def _value(row: ItemResult, metric: str) -> float:
    value = row.values[metric]
    return np.nan if value is None else value


def _clusters(rows: Sequence[ItemResult]) -> IntArray:
    _, numbers = np.unique([row.cluster for row in rows], return_inverse=True)
    return numbers.astype(np.int64)
