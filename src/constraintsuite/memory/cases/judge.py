"""One answer to one case: every check and every measure, less those that the mode or the format has nothing for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.memory.cases.answer_checks import (
    EdgeBook,
    MetricValues,
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
from constraintsuite.memory.cases.matching import FOREIGN_EDGES, FOREIGN_FIELDS, FOREIGN_STOPS
from constraintsuite.memory.cases.model import BenchmarkCase
from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.modes.base import DescribedMode
from constraintsuite.memory.results import SearchAnswer
from constraintsuite.memory.state import Lifecycle
from constraintsuite.models.base import ModelFact
from constraintsuite.text.tokens import find_tokens

RANKING_CHECKS = ("evidence_hit", "hard_negatives_hit", "roles_hit", "contradiction_hit")
"""What every mode can be asked for, and some mode could pass: they look at what was returned."""
KNOWLEDGE_CHECKS = ("roles_known", "conflict_known")
"""What the memory must know, whatever is returned: ingestion decides them, and they are the same for all modes."""
WALK_CHECKS = ("path_hit", "edge_types_hit", "trace_hit", "snapshot_hit")
CHECKS = (*RANKING_CHECKS, *KNOWLEDGE_CHECKS, *WALK_CHECKS, "lifecycle_hit")
_OF_ANY_PROBE = ("edge_validity", "lifecycle_hit")
"""What can be said of an answer that cannot be right or wrong by itself."""


class Capabilities(NamedTuple):
    """A check that a mode has nothing for is not made; it is neither passed nor failed."""

    walks: bool
    """It shows paths and a trace."""
    dynamic: bool
    """What was confirmed before counts."""


def capabilities_of(mode: DescribedMode) -> Capabilities:
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
        """The units, best first."""
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
            "pass": None if unmade else _passed(values, CHECKS),
            "ranking_pass": _passed(values, RANKING_CHECKS),
        }
        probe = {"probe_mrr": values["mrr"] if case.part == "probe" else None}
        judged = verdicts | values
        if case.needs_context:
            judged = {name: value if name in _OF_ANY_PROBE else None for name, value in judged.items()}
        size = {"units": float(len(ranking)), "tokens": float(sum(self._lengths[unit] for unit in ranking))}
        return judged | probe | size


def _passed(values: MetricValues, checks: tuple[str, ...]) -> float:
    return float(all(values[check] != 0.0 for check in checks))
