"""Run all modes on all cases at equal budgets, and check every answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.memory.benchmark_run import BenchmarkRun
from constraintsuite.memory.cases.answer_checks import (
    EdgeIndex,
    conflicts_of,
    contradiction_values,
    edge_types_value,
    evidence_values,
    negatives_values,
    path_values,
    roles_values,
    trace_values,
    validity_value,
)
from constraintsuite.memory.cases.files import Grounded
from constraintsuite.memory.cases.model import UNSUPPORTED_EDGES, UNSUPPORTED_FIELDS, UNSUPPORTED_STOPS, BenchmarkCase
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
"""Checks of the returned units. They apply to every mode, and every mode could pass them."""
WALK_CHECKS = ("path_hit", "edge_types_hit", "trace_hit", "snapshot_hit")
CHECKS = (*RANKING_CHECKS, "roles_known", "conflict_known", *WALK_CHECKS, "lifecycle_hit")
"""All checks. `roles_known` and `conflict_known` are the same for all modes: ingestion decides them, not the search."""
_OF_ANY_PROBE = ("edge_validity", "lifecycle_hit")
"""Values of a probe that needs its context: its answer cannot be right or wrong by itself."""
START = "2026-01-01T00:00:00+00:00"
"""The default time of a run. The clock of the machine is never used."""


class Capabilities(NamedTuple):
    """What a mode can do. A check that needs more is not made: it is neither passed nor failed."""

    walks: bool
    """It returns paths and a trace."""
    dynamic: bool
    """Earlier confirmations change its results."""


def capabilities_of(mode: SearchMode) -> Capabilities:
    """Read the capabilities of a mode from its description: `kinds` of edges if it walks, `boost` if it is dynamic."""
    facts = mode.describe()
    return Capabilities(_has(facts, "kinds"), _has(facts, "boost"))


def _has(facts: Mapping[str, ModelFact], key: str) -> bool:
    first = facts.get("first")
    return bool(facts.get(key)) or (isinstance(first, Mapping) and _has(first, key))


def not_evaluated(case: BenchmarkCase) -> tuple[str, ...]:
    """The fields of a case that are not evaluated, or not fully, each with the reason."""
    wanted = case.expectation
    fields = [name for name in UNSUPPORTED_FIELDS if getattr(wanted, name) not in (None, ())]
    partly = {
        "path: kind of edge": wanted.path and wanted.path.is_unsupported,
        "activation_trace: edge or stop reason": wanted.activation_trace and wanted.activation_trace.is_unsupported,
        "activation_snapshot: edge or stop reason": (
            wanted.activation_snapshot and wanted.activation_snapshot.is_unsupported
        ),
        "required_edge_types: kind of edge": UNSUPPORTED_EDGES.intersection(wanted.required_edge_types),
        "required_trace_stop_reasons: reason": UNSUPPORTED_STOPS.intersection(wanted.required_trace_stop_reasons),
    }
    return (*fields, *(f"{field} without counterpart" for field, found in partly.items() if found))


def count_not_evaluated(cases: Iterable[BenchmarkCase]) -> dict[str, int]:
    """Count the cases with each field that is not evaluated."""
    return dict(sorted(Counter(field for case in cases for field in not_evaluated(case)).items()))


def _ranked_units(recall: SearchAnswer) -> tuple[str, ...]:
    """Ids of the returned units, best first."""
    return tuple(recalled.unit for recalled in recall.ranking)


class CaseJudge:
    """Checks answers from one graph."""

    def __init__(self, graph: MemoryGraph) -> None:
        self._graph = graph
        self._edges = EdgeIndex(graph)
        self._conflicts = conflicts_of(graph)
        self._lengths = {unit.id: len(find_tokens(unit.text)) for unit in graph.units}

    def values(
        self,
        case: BenchmarkCase,
        recall: SearchAnswer,
        budget: int,
        can: Capabilities,
        states: Mapping[str, Lifecycle] | None = None,
    ) -> MetricValues:
        """All values of an answer, with the same names for every case and mode; None where one is undefined.

        `states` are the states of the units that the case asks about, after the query and its confirmation.

        `ranking_pass` is over the checks that apply to every mode. `pass` is over all that the case asks for. It is None if one
        of these could not be made, because the mode cannot do it or the field is not evaluated: such a case must count neither
        as passed nor, if another check failed, as failed. `probe_mrr` is the mrr of a probe. A probe that needs its context has
        hardly any other value, so it is in no mean over evidence.
        """
        wanted, ranking = case.expectation, _ranked_units(recall)
        values = evidence_values(case, ranking, budget) | negatives_values(case, ranking)
        values |= roles_values(wanted, ranking, self._graph)
        values |= contradiction_values(wanted, ranking, self._conflicts)
        walked = path_values(wanted, recall) | edge_types_value(wanted, recall) | trace_values(wanted, recall)
        values |= walked if can.walks else dict.fromkeys(walked)
        values |= validity_value(recall.paths, self._edges)
        asks_state = bool(wanted.required_lifecycle_states)
        kept = all((states or {}).get(unit) == state for unit, state in wanted.required_lifecycle_states.items())
        values["lifecycle_hit"] = float(kept) if asks_state and can.dynamic else None
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
    """When the first case is asked; units that are not valid then are not found."""
    hours_between: float = 1.0
    """Hours between two cases of a sequence."""


def run_cases(datasets: Sequence[Grounded], run: CaseRun, encoder: DenseScorer | None = None) -> Iterator[ItemResult]:
    """Yield one result per dataset, mode, budget, case and wording; the same inputs give the same results in the same order.

    An item is `DATASET/CASE#N`: N is 0 for the question, and 1, 2, ... for its paraphrases. All wordings of a case are one
    cluster.
    """
    names = {data.dataset.dataset_id for data in datasets}
    if not names or len(names) < len(datasets):
        raise UserError("Name at least one dataset, and each of them once.")
    parse_time(run.now)
    run.check(encoder)
    total = sum(len(case.phrasings) for data in datasets for case in data.dataset.cases)
    with run.reporter.track("cases", total * len(run.modes) * len(run.budgets)) as advance:
        for data in datasets:
            memory = memory_of(data, run, encoder)
            judge = CaseJudge(memory.graph)
            for mode in run.modes:
                for budget in run.budgets:
                    for result in _ask_cases(data, memory, judge, mode, budget, run):
                        advance()
                        yield result


def memory_of(data: Grounded, run: CaseRun, encoder: DenseScorer | None = None) -> Memory:
    """Make the memory of a dataset. All texts and questions are embedded at once, so that a search does not wait for the encoder."""
    if encoder is None:
        return Memory.of(data.parts)
    texts = (Memory().searched(unit) for part in data.parts for unit in part.units)
    questions = (text for case in data.dataset.cases for text in case.phrasings)
    return Memory.of(data.parts, embed_all(encoder, texts, questions, run.cache))


def _ask_cases(
    data: Grounded, memory: Memory, judge: CaseJudge, name: str, budget: int, run: CaseRun
) -> Iterator[ItemResult]:
    """Ask one mode every case of a dataset, in the order of the file and with a state of its own."""
    dataset, state = data.dataset, MemoryState(Clock(run.now))
    mode = load_mode(name, memory, state=state, bench=run.bench)
    can = capabilities_of(mode)
    for case in dataset.cases:
        cluster, tags = f"{dataset.dataset_id}/{case.case_id}", " ".join(sorted(case.tags))
        answers = [run.search(mode, query, budget, f"{cluster}#{n}") for n, query in enumerate(case.phrasings)]
        before = state.snapshot()
        for number, recall in enumerate(answers):
            state.restore(before)
            _confirm(state, case, recall)
            states = {unit: state.lifecycle(unit) for unit in case.expectation.required_lifecycle_states}
            phrasing = "paraphrase" if number else "original"
            groups = {"fixture": dataset.dataset_id, "part": case.part, "phrasing": phrasing, "tags": tags}
            values = judge.values(case, recall, budget, can, states)
            yield ItemResult(mode.name, f"{cluster}#{number}", budget, values, _ranked_units(recall), groups, cluster)
        state.restore(before)
        if case.part == "prime":
            _confirm(state, case, answers[0])
        if dataset.is_sequence:
            state.clock.move_to(state.clock.now + timedelta(hours=run.hours_between))


def _confirm(state: MemoryState, case: BenchmarkCase, recall: SearchAnswer) -> None:
    """Confirm the returned units that are evidence. Being returned is not a confirmation."""
    state.confirm(unit for unit in case.expectation.evidence_node_ids if unit in _ranked_units(recall))
