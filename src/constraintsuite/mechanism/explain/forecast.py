"""What an analysis will cost, before it is begun: passes of single rows through the whole model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from constraintsuite.mechanism.explain.work import Work
from constraintsuite.mechanism.patching.stacking import start_of


@dataclass(frozen=True)
class Forecast:
    """Rows are sequences: two a contrast, and one more where there is a pair aside."""

    contrasts: int
    rows: int
    patches: int
    forwards: float
    """Passes of one row; of a patch high up only the blocks above it count, so there are parts of passes."""
    backwards: float


def forecast_attribution(work: Work, directions: int, steps: int) -> Forecast:
    """Both runs, and one pass back a direction; or for integrated gradients a pass forward and back each step."""
    forwards = 2 + directions * steps
    return Forecast(
        len(work.contrasts), work.rows, len(work.patches), work.rows * forwards, work.rows * directions * max(1, steps)
    )


def forecast_patches(work: Work, directions: int) -> Forecast:
    """Both runs, and every patch in each direction; of ablations, a way of ablating counts as a direction."""
    layers = work.subject.layers
    starts = Counter(start_of(work.subject, patch) for patch in work.patches)
    above = sum(
        count * (layers - max(0, start.layer + (start.how == "above"))) / layers for start, count in starts.items()
    )
    return Forecast(len(work.contrasts), work.rows, len(work.patches), work.rows * (2 + directions * above), 0)
