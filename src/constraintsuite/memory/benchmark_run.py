"""The base of all runs of memory benchmarks: modes, budgets, models, and the time of every search."""

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
    """The modes and budgets to run, with their caches and models."""

    modes: Sequence[str]
    budgets: Sequence[int]
    """How many units a mode may return; every budget is run on its own."""
    cache: Path | None = field(default=None, kw_only=True)
    """Folder of vectors from earlier runs."""
    bench: Workbench = field(default_factory=Workbench, kw_only=True)
    """For modes that rerank."""
    latencies: list[Latency] = field(default_factory=list, kw_only=True)
    """Filled during the run; of one mode, item and budget the first time is cold, later ones are warm."""
    clock: Callable[[], float] = field(default=time.perf_counter, kw_only=True)
    reporter: Reporter = field(default_factory=Silent, kw_only=True)

    def check(self, encoder: DenseScorer | None = None) -> None:
        """Refuse an empty run, and modes or budgets that are impossible."""
        if not self.modes or not self.budgets:
            raise UserError("There is nothing to run: name at least one mode and one budget.")
        if len(set(self.modes)) < len(self.modes) or len(set(self.budgets)) < len(self.budgets):
            raise UserError("A mode or a budget is named twice.")
        if min(self.budgets) < 1:
            raise UserError("A budget must be 1 or more.")
        for mode in self.modes:
            load_mode(mode, Memory(encoder), bench=self.bench)

    def search(self, mode: SearchMode, query: str, budget: int, item: str) -> SearchAnswer:
        """Search with a mode, and add the time that it took to the latencies."""
        began = self.clock()
        answer = mode.search(query, budget)
        self.latencies.append(Latency(mode.name, item, budget, self.clock() - began))
        assert len(answer.ranking) <= budget, f"{mode.name} returned {len(answer.ranking)} units of {budget}"
        return answer
