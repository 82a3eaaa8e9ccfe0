"""What another wording of the same question costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from constraintsuite.experiments.compare import mean_difference
from constraintsuite.experiments.figures import generator
from constraintsuite.memory.runs.table import PHRASING, MemoryTable
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.scores import Interval

TOLERATED = 0.10
"""The loss that must be ruled out."""
FEWEST = 35
"""Cases below which nothing is ruled out, however they come out: so many it takes where none differs."""


@dataclass(frozen=True, slots=True)
class ParaphraseCost:
    """A mode's figure on paraphrases less that on the questions as they stand, paired by case."""

    mode: str
    budget: int
    metric: str
    original: float
    difference: Interval
    """n counts cases."""
    solvable: Interval
    """The same over the cases that pass in at least one wording: those that fail in all of them differ by nothing, and a
    loss hides behind them."""
    passed: bool
    """Whether there are cases enough, and the interval over all of them excludes a loss above the tolerated one."""


def rewordings_of(
    table: MemoryTable, metric: str = "pass", *, tolerated: float = TOLERATED, seed: int = 0
) -> list[ParaphraseCost]:
    """Of every mode and budget that has cases with paraphrases; a case counts once, however many it has."""
    found = []
    for mode, budget in product(table.systems, table.budgets if metric in table.metrics else ()):
        cases = _cases(table, mode, budget, metric)
        if not cases:
            continue
        scale = table.metric(metric)
        difference = _difference(cases, scale, seed)
        solvable = _difference([case for case in cases if case.reworded or case.original], scale, seed)
        original = float(np.mean([case.original for case in cases]))
        passed = difference.n >= FEWEST and difference.low is not None and difference.low >= -tolerated
        found.append(ParaphraseCost(mode, budget, metric, original, difference, solvable, passed))
    return found


class _Case(NamedTuple):
    id: str
    original: float
    reworded: float
    """The mean over its paraphrases."""


def _difference(cases: Sequence[_Case], metric: Metric, seed: int) -> Interval:
    values = np.array([case.reworded - case.original for case in cases], dtype=np.float64)
    draws = generator(seed, [case.id for case in cases])
    return mean_difference(values, np.arange(len(values), dtype=np.int64), metric, draws)


def _cases(table: MemoryTable, mode: str, budget: int, metric: str) -> list[_Case]:
    """Those of which all wordings have a value."""
    wordings: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for phrasing in table.groups.get(PHRASING, {}):
        members = table.at_budget(budget, phrasing=phrasing)
        for item, value in zip(members, table.column(mode, metric, members).tolist(), strict=True):
            wordings[table.items[item].wide[0]][phrasing].append(value)
    return [
        _Case(name, case["original"][0], float(np.mean(case["paraphrase"])))
        for name, case in wordings.items()
        if case["original"] and case["paraphrase"] and not np.isnan([*case["original"], *case["paraphrase"]]).any()
    ]
