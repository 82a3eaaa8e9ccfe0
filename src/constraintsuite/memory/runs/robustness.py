"""What another wording of the same question costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.memory.differences import mean_difference
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.memory.runs.compare import cells_of, of_cell
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
    outcomes: Sequence[ItemResult], metric: str = "pass", *, tolerated: float = TOLERATED, seed: int = 0
) -> list[ParaphraseCost]:
    """Of every mode and budget that has cases with paraphrases; a case counts once, however many it has."""
    found = []
    for mode, budget in cells_of(outcomes):
        cases = _cases(of_cell(outcomes, mode, budget), metric)
        if not cases:
            continue
        difference = _difference(cases, seed)
        solvable = _difference([case for case in cases if case.reworded or case.original], seed)
        original = float(np.mean([case.original for case in cases]))
        passed = difference.n >= FEWEST and difference.low is not None and difference.low >= -tolerated
        found.append(ParaphraseCost(mode, budget, metric, original, difference, solvable, passed))
    return found


class _Case(NamedTuple):
    original: float
    reworded: float
    """The mean over its paraphrases."""


def _difference(cases: Sequence[_Case], seed: int) -> Interval:
    values = np.array([case.reworded - case.original for case in cases], dtype=np.float64)
    return mean_difference(values, np.arange(len(values), dtype=np.int64), seed=seed)


def _cases(outcomes: Sequence[ItemResult], metric: str) -> list[_Case]:
    """Those of which all wordings have a value."""
    wordings: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for outcome in outcomes:
        wordings[outcome.cluster][outcome.groups.get("phrasing", "")].append(outcome.values.get(metric))
    cases = []
    for case in wordings.values():
        original, reworded = _defined(case["original"]), _defined(case["paraphrase"])
        if original and reworded:
            cases.append(_Case(original[0], sum(reworded) / len(reworded)))
    return cases


def _defined(values: Sequence[float | None]) -> list[float]:
    """The values, if none of them is undefined."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []
