"""All modes on all cases, at equal budgets; in a sequence, in its order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Advance
from constraintsuite.memory.benchmark_run import BenchmarkRun
from constraintsuite.memory.cases.files import Grounded
from constraintsuite.memory.cases.judge import CaseAnswer, CaseJudge, capabilities_of
from constraintsuite.memory.cases.model import BenchmarkCase
from constraintsuite.memory.dense import embed_all
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.records import parse_time
from constraintsuite.memory.results import ItemResult, SearchAnswer
from constraintsuite.memory.state import Clock, MemoryState
from constraintsuite.models.dense import DenseScorer

START = "2026-01-01T00:00:00+00:00"
"""The time at which a run plays, unless told otherwise; the machine's clock has no part in it."""


@dataclass(frozen=True)
class CaseRun(BenchmarkRun):
    """A run of structured cases."""

    now: str = START
    """When the first case is asked; units that do not hold then are not found."""
    hours_between: float = 1.0
    """How much later each further case of a sequence is asked."""


def run_cases(datasets: Sequence[Grounded], run: CaseRun, encoder: DenseScorer | None = None) -> Iterator[ItemResult]:
    """One outcome a dataset, mode, budget, case and wording; the same inputs give the same ones in the same order.

    An item is `DATASET/CASE#N`, N being 0 for the question as it stands and 1, 2, ... for its paraphrases; all wordings of
    a case are one cluster.
    """
    _check(datasets, run, encoder)
    total = sum(len(case.phrasings) for data in datasets for case in data.dataset.cases)
    with run.reporter.track("cases", total * len(run.modes) * len(run.budgets)) as advance:
        for data in datasets:
            memory = memory_of(data, run, encoder)
            judge = CaseJudge(memory.graph)
            for mode in run.modes:
                for budget in run.budgets:
                    yield from _Session(data, memory, mode, budget, run).outcomes(judge, advance)


def memory_of(data: Grounded, run: CaseRun, encoder: DenseScorer | None = None) -> Memory:
    """The memory that the cases of a dataset are asked of. All vectors, also those of the questions, are made in one go; so
    the time of a search is not that of a transformer."""
    if encoder is None:
        return Memory.of(data.parts)
    texts = (Memory().searched(unit) for part in data.parts for unit in part.units)
    questions = (text for case in data.dataset.cases for text in case.phrasings)
    return Memory.of(data.parts, embed_all(encoder, texts, questions, run.cache))


def _check(datasets: Sequence[Grounded], run: CaseRun, encoder: DenseScorer | None) -> None:
    names = [data.dataset.dataset_id for data in datasets]
    if not names or len(set(names)) < len(names):
        raise UserError("Name at least one dataset, and each of them once.")
    parse_time(run.now)
    run.check(encoder)


class _Session:
    """One mode at one budget on one dataset, with a state of its own."""

    def __init__(self, data: Grounded, memory: Memory, mode: str, budget: int, run: CaseRun) -> None:
        self._dataset, self._budget, self._run = data.dataset, budget, run
        self._state = MemoryState(Clock(run.now))
        self._mode = load_mode(mode, memory, state=self._state, bench=run.bench)
        self._can = capabilities_of(self._mode)

    def outcomes(self, judge: CaseJudge, advance: Advance) -> Iterator[ItemResult]:
        """Every case in the order of the file."""
        for case in self._dataset.cases:
            answers = [
                self._run.search(self._mode, query, self._budget, self._item(case, number))
                for number, query in enumerate(case.phrasings)
            ]
            before = self._state.snapshot()
            for number, recall in enumerate(answers):
                self._state.restore(before)
                self._confirm(case, recall)
                states = {unit: self._state.lifecycle(unit) for unit in case.expectation.required_lifecycle_states}
                answer = CaseAnswer(recall, self._budget, states)
                yield self._outcome(case, number, answer, judge)
                advance()
            self._state.restore(before)
            if case.part == "prime":
                self._confirm(case, answers[0])
            if self._dataset.is_sequence:
                self._state.clock.move_to(self._state.clock.now + timedelta(hours=self._run.hours_between))

    def _confirm(self, case: BenchmarkCase, recall: SearchAnswer) -> None:
        """What was returned and is right was used; being returned alone is no use."""
        returned = {recalled.unit for recalled in recall.ranking}
        self._state.confirm(unit for unit in case.expectation.evidence_node_ids if unit in returned)

    def _outcome(self, case: BenchmarkCase, number: int, answer: CaseAnswer, judge: CaseJudge) -> ItemResult:
        values = judge.values(case, answer, self._can)
        groups = {
            "fixture": self._dataset.dataset_id,
            "part": case.part,
            "phrasing": "paraphrase" if number else "original",
            "tags": " ".join(sorted(case.tags)),
        }
        cluster = f"{self._dataset.dataset_id}/{case.case_id}"
        item = self._item(case, number)
        return ItemResult(self._mode.name, item, self._budget, values, answer.ranking, groups, cluster)

    def _item(self, case: BenchmarkCase, number: int) -> str:
        return f"{self._dataset.dataset_id}/{case.case_id}#{number}"
