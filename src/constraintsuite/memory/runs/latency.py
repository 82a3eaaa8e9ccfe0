"""Times of searches, and of the fixed work that they are compared by."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from constraintsuite.experiments.experiment import SystemSpeed, Timing
from constraintsuite.memory.public.run import Latency
from constraintsuite.memory.runs.table import BUDGET

_SIZE = 200_000
_TIMES = 15


def calibrate(clock: Callable[[], float] = time.perf_counter) -> float:
    """Milliseconds that the fixed work takes: gathering, summing by place and sorting 200,000 numbers, as a search does.

    The least of 15 times, since whatever else runs can only add to it.
    """
    rng = np.random.default_rng(0)
    values = rng.random(_SIZE)
    places = rng.integers(_SIZE, size=_SIZE)
    seconds = []
    for _ in range(_TIMES):
        began = clock()
        np.sort(np.bincount(places, weights=values[places], minlength=_SIZE))
        seconds.append(clock() - began)
    return 1_000 * min(seconds)


def timing_of(passes: Sequence[Iterable[Latency]], calibrations: Sequence[float]) -> Timing:
    """Of one mode, item and budget the first time is cold, all later ones are warm, in one pass or in several; without a
    warm one the first stands for both, and `repetitions` is 0."""
    times: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for rows in passes:
        for row in rows:
            times[row.mode, row.budget][row.item].append(1_000 * row.seconds)
    speeds = tuple(_speed(*key, list(items.values())) for key, items in times.items())
    return Timing(round(float(np.median(calibrations)), 4), speeds)


def _speed(mode: str, budget: int, items: Sequence[Sequence[float]]) -> SystemSpeed:
    repeated = [each for each in items if len(each) > 1]
    warm = [float(np.median(each[1:])) for each in repeated] or [each[0] for each in items]
    cold = float(np.median([each[0] for each in items]))
    p50, p95 = np.percentile(warm, [50, 95]).tolist()
    repetitions = min((len(each) - 1 for each in repeated), default=0)
    return SystemSpeed(mode, f"{BUDGET}={budget}", len(warm), repetitions, round(cold, 4), round(p50, 4), round(p95, 4))
