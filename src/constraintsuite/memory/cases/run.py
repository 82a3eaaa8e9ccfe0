"""All modes on all cases, at equal budgets, in the order of a sequence; and every check of an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance
from constraintsuite.memory.benchmark_run import BenchmarkRun
from constraintsuite.memory.cases.answer_checks import (
    EdgeBook,
    conflicts_of,
    contradiction_values,
    edge_types_value,
    evidence_values,
    lifecycle_value,
    negatives_values,
    path_values,
    roles_values,
    trace_values,
    validity_value,
)
from constraintsuite.memory.cases.files import Grounded
from constraintsuite.memory.cases.model import FOREIGN_EDGES, FOREIGN_FIELDS, FOREIGN_STOPS, BenchmarkCase
from constraintsuite.memory.dense import embed_all
from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.public.measures import MetricValues
from constraintsuite.memory.records import parse_time
from constraintsuite.memory.results import ItemResult, SearchAnswer, SearchMode
from constraintsuite.memory.state import Clock, Lifecycle, MemoryState
from constraintsuite.models.base import ModelFact
from constraintsuite.models.dense import DenseScorer
from constraintsuite.text.tokens import find_tokens

RANKING_CHECKS = ("evidence_hit", "hard_negatives_hit", "roles_hit", "contradiction_hit")
"""What every mode can be asked for, and some mode could pass: they look at what was returned."""
KNOWLEDGE_CHECKS = ("roles_known", "conflict_known")
"""What the memory must know, whatever is returned: ingestion decides them, and they are the same for all modes."""
WALK_CHECKS = ("path_hit", "edge_types_hit", "trace_hit", "snapshot_hit")
CHECKS = (*RANKING_CHECKS, *KNOWLEDGE_CHECKS, *WALK_CHECKS, "lifecycle_hit")
_OF_ANY_PROBE = ("edge_validity", "lifecycle_hit")
"""What can be said of an answer that cannot be right or wrong by itself."""
START = "2026-01-01T00:00:00+00:00"
"""The time at which a run plays, unless told otherwise; the machine's clock has no part in it."""


class Capabilities(NamedTuple):
    """A check that a mode has nothing for is not made; it is neither passed nor failed."""

    walks: bool
    """It shows paths and a trace."""
    dynamic: bool
    """What was confirmed before counts."""


def capabilities_of(mode: SearchMode) -> Capabilities:
    """A mode that walks names the kinds of edges it walks, one with a state what strength is worth."""
    facts = mode.describe()
    return Capabilities(_has(facts, "kinds"), _has(facts, "boost"))


def _has(facts: Mapping[str, ModelFact], key: str) -> bool:
    first = facts.get("first")
    return bool(facts.get(key)) or (isinstance(first, Mapping) and _has(first, key))


def not_evaluated(case: BenchmarkCase) -> tuple[str, ...]:
    """The fields of a case that are not evaluated, or not wholly, each with why."""
    return tuple(_unanswered(case))


def count_not_evaluated(cases: Iterable[BenchmarkCase]) -> dict[str, int]:
    """How many cases have each such field."""
    return dict(sorted(Counter(field for case in cases for field in not_evaluated(case)).items()))


def _unanswered(case: BenchmarkCase) -> Iterator[str]:
    wanted = case.expectation
    for name in FOREIGN_FIELDS:
        if getattr(wanted, name) not in (None, ()):
            yield name
    if wanted.path is not None and wanted.path.is_foreign:
        yield "path: kind of edge without counterpart"
    if wanted.activation_trace is not None and wanted.activation_trace.is_foreign:
        yield "activation_trace: edge or stop reason without counterpart"
    if wanted.activation_snapshot is not None and wanted.activation_snapshot.is_foreign:
        yield "activation_snapshot: edge or stop reason without counterpart"
    if FOREIGN_EDGES.intersection(wanted.required_edge_types):
        yield "required_edge_types: kind of edge without counterpart"
    if FOREIGN_STOPS.intersection(wanted.required_trace_stop_reasons):
        yield "required_trace_stop_reasons: reason without counterpart"


@dataclass(frozen=True)
class CaseAnswer:
    """What a mode gave for one wording of a case."""

    recall: SearchAnswer
    budget: int
    states: Mapping[str, Lifecycle]
    """Of the units whose state the case asks for, after the query and its confirmation."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The ids of the returned units, best first."""
        return tuple(recalled.unit for recalled in self.recall.ranking)


class CaseJudge:
    """Knows the graph that answers came from."""

    def __init__(self, graph: MemoryGraph) -> None:
        self._graph = graph
        self._edges = EdgeBook(graph)
        self._conflicts = conflicts_of(graph)
        self._lengths = {unit.id: len(find_tokens(unit.text)) for unit in graph.units}

    def values(self, case: BenchmarkCase, answer: CaseAnswer, can: Capabilities) -> MetricValues:
        """All values, under the same names for every case and mode; None where one is not defined.

        `ranking_pass` is over the checks that every mode can be asked for. `pass` is over all that the case asks for, and
        None where one of these could not be made, because the mode has nothing for it or the field is not evaluated here:
        counting only the failures among such cases would be as wrong as passing them. `probe_mrr` is the mrr of a probe; one
        that needs its context has hardly another value, so that it is in no mean over evidence.
        """
        wanted, recall, ranking = case.expectation, answer.recall, answer.ranking
        values = evidence_values(case, ranking, answer.budget) | negatives_values(case, ranking)
        values |= roles_values(wanted, ranking, self._graph)
        values |= contradiction_values(wanted, ranking, self._conflicts)
        walked = path_values(wanted, recall) | edge_types_value(wanted, recall) | trace_values(wanted, recall)
        values |= walked if can.walks else dict.fromkeys(walked)
        values |= validity_value(recall.paths, self._edges)
        asks_state = bool(wanted.required_lifecycle_states)
        values |= lifecycle_value(wanted, answer.states) if asks_state and can.dynamic else {"lifecycle_hit": None}
        unmade = bool(not_evaluated(case)) or (asks_state and not can.dynamic)
        unmade |= not can.walks and any(walked[check] is not None for check in WALK_CHECKS)
        verdicts: MetricValues = {
            "pass": None if unmade else _all_passed(values, CHECKS),
            "ranking_pass": _all_passed(values, RANKING_CHECKS),
        }
        probe = {"probe_mrr": values["mrr"] if case.part == "probe" else None}
        judged = verdicts | values
        if case.needs_context:
            judged = {name: value if name in _OF_ANY_PROBE else None for name, value in judged.items()}
        size = {"units": float(len(ranking)), "tokens": float(sum(self._lengths[unit] for unit in ranking))}
        return judged | probe | size


def _all_passed(values: MetricValues, checks: tuple[str, ...]) -> float:
    return float(all(values[check] != 0.0 for check in checks))


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
