"""What all runs of memory benchmarks share: modes, budgets, models, and the time of every search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import Latency, SearchAnswer, SearchMode
from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import DenseScorer


@dataclass(frozen=True)
class BenchmarkRun:
    """What to run, and where the rest goes."""

    modes: Sequence[str]
    budgets: Sequence[int]
    """Units that a mode may return, each tried on its own."""
    cache: Path | None = field(default=None, kw_only=True)
    """Folder of vectors of earlier runs."""
    bench: Workbench = field(default_factory=Workbench, kw_only=True)
    """For modes that rerank."""
    latencies: list[Latency] = field(default_factory=list, kw_only=True)
    """Filled while it runs; of one mode, item and budget the first is cold, those after it are warm."""
    clock: Callable[[], float] = field(default=time.perf_counter, kw_only=True)
    reporter: Reporter = field(default_factory=Silent, kw_only=True)

    def check(self, encoder: DenseScorer | None = None) -> None:
        """A UserError if there is nothing to run, or a mode or budget that cannot be."""
        if not self.modes or not self.budgets:
            raise UserError("There is nothing to run: name at least one mode and one budget.")
        if len(set(self.modes)) < len(self.modes) or len(set(self.budgets)) < len(self.budgets):
            raise UserError("A mode or a budget is named twice.")
        if min(self.budgets) < 1:
            raise UserError("A budget must be 1 or more.")
        for mode in self.modes:
            load_mode(mode, Memory(encoder), bench=self.bench)

    def search(self, mode: SearchMode, query: str, budget: int, item: str) -> SearchAnswer:
        """The answer of a mode; how long it took is added to the latencies."""
        began = self.clock()
        answer = mode.search(query, budget)
        self.latencies.append(Latency(mode.name, item, budget, self.clock() - began))
        assert len(answer.ranking) <= budget, f"{mode.name} returned {len(answer.ranking)} units of {budget}"
        return answer
