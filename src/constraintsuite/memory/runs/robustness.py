"""What another wording of the same question costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.evaluate.figures import rounded
from constraintsuite.memory.outcomes import Outcome
from constraintsuite.memory.runs.compare import cells_of, of_cell
from constraintsuite.metrics.intervals import clipped, estimate
from constraintsuite.records.scores import Interval

TOLERATED = 0.10
"""The loss that must be ruled out."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """A mode's figure on paraphrases less that on the questions as they stand, paired by case."""

    mode: str
    budget: int
    metric: str
    original: float
    difference: Interval
    """n counts cases."""
    passed: bool
    """Whether the interval excludes a loss above the tolerated one."""


def rewordings_of(
    outcomes: Sequence[Outcome], metric: str = "pass", *, tolerated: float = TOLERATED, seed: int = 0
) -> list[Rewording]:
    """Of every mode and budget that has cases with paraphrases; a case counts once, however many it has."""
    found = []
    for mode, budget in cells_of(outcomes):
        cases = _cases(of_cell(outcomes, mode, budget), metric)
        if not cases:
            continue
        differences = np.array([reworded - original for original, reworded in cases])
        clusters = np.arange(len(cases), dtype=np.int64)
        (interval,) = estimate(differences[:, None], [False], clusters, rng=np.random.default_rng(seed))
        interval = rounded(clipped(interval, -1.0, 1.0))
        original = float(np.mean([original for original, _ in cases]))
        passed = interval.low is not None and interval.low >= -tolerated
        found.append(Rewording(mode, budget, metric, original, interval, passed))
    return found


def _cases(outcomes: Sequence[Outcome], metric: str) -> list[tuple[float, float]]:
    """Of each case the value of the original and the mean over its paraphrases, where all are defined."""
    wordings: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for outcome in outcomes:
        wordings[outcome.cluster][outcome.groups.get("phrasing", "")].append(outcome.values.get(metric))
    cases = []
    for case in wordings.values():
        original, reworded = _defined(case["original"]), _defined(case["paraphrase"])
        if original and reworded:
            cases.append((original[0], sum(reworded) / len(reworded)))
    return cases


def _defined(values: Sequence[float | None]) -> list[float]:
    """The values, if none of them is undefined."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []
