"""What an analysis will cost, before it is begun: passes of single rows through the whole model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from constraintsuite.mechanism.explain.plan import Ablating
from constraintsuite.mechanism.explain.work import AnalysisWork
from constraintsuite.mechanism.patching.patches import start_of

_PASSES, _MOST = 512, 64  # of a shard: what is lost at most when an analysis is stopped


@dataclass(frozen=True)
class AnalysisForecast:
    """Rows are sequences: two a contrast, and one more where there is a pair aside."""

    contrasts: int
    rows: int
    patches: int
    forwards: float
    """Passes of one row; of a patch high up only the blocks above it count, so there are parts of passes."""
    backwards: float
    tokens: int
    """Most that are in one pass, as memory allows."""

    @property
    def passes(self) -> float:
        """Of one row; one back counts as two."""
        return self.forwards + 2 * self.backwards

    @property
    def shard(self) -> int:
        """Contrasts that are done at a time: as many passes as take a processor some ten seconds, but whole contrasts."""
        return max(1, min(_MOST, int(_PASSES * self.contrasts / self.passes)))


def forecast_attribution(work: AnalysisWork, directions: int, steps: int) -> AnalysisForecast:
    """Both runs, and one pass back a direction; or for integrated gradients a pass forward and back each step."""
    forwards, backwards = work.rows * (2 + directions * steps), work.rows * directions * max(1, steps)
    return AnalysisForecast(len(work.contrasts), work.rows, len(work.patches), forwards, backwards, work.budget.traced)


def forecast_patches(work: AnalysisWork, directions: int) -> AnalysisForecast:
    """Both runs, and every patch in each direction."""
    forwards = work.rows * (2 + directions * _passes(work))
    return AnalysisForecast(len(work.contrasts), work.rows, len(work.patches), forwards, 0, work.budget.stacked)


def forecast_ablation(plan: Ablating) -> AnalysisForecast:
    """The clean runs and every patch, once a way of ablating; runs of what is put in are not counted."""
    work, forwards = plan.work, plan.rows * (1 + _passes(plan.work))
    return AnalysisForecast(len(work.contrasts), work.rows, len(work.patches), forwards, 0, work.budget.stacked)


def _passes(work: AnalysisWork) -> float:
    """Of all patches of a row: of one high up only the blocks above it count."""
    layers = work.subject.layers
    starts = Counter(start_of(work.subject, patch) for patch in work.patches)
    return sum(
        count * (layers - max(0, start.layer + (start.how == "above"))) / layers for start, count in starts.items()
    )
