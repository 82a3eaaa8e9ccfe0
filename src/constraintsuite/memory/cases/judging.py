"""One answer to one case: every check and every measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constraintsuite.memory.cases.capabilities import Capabilities
from constraintsuite.memory.cases.checks.contents import (
    conflicts_of,
    contradiction_values,
    lifecycle_value,
    roles_values,
)
from constraintsuite.memory.cases.checks.evidence import MetricValues, evidence_values, negatives_values
from constraintsuite.memory.cases.checks.traces import trace_values
from constraintsuite.memory.cases.checks.walks import EdgeBook, edge_types_value, path_values, validity_value
from constraintsuite.memory.cases.coverage import not_evaluated
from constraintsuite.memory.cases.model import BenchmarkCase
from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.memory.state import Lifecycle
from constraintsuite.text.tokens import find_tokens

RANKING_CHECKS = ("evidence_hit", "hard_negatives_hit", "roles_hit", "contradiction_hit")
"""What every mode can be asked for, and some mode could pass: they look at what was returned."""
KNOWLEDGE_CHECKS = ("roles_known", "conflict_known")
"""What the memory must know, whatever is returned: ingestion decides them, and they are the same for all modes."""
WALK_CHECKS = ("path_hit", "edge_types_hit", "trace_hit", "snapshot_hit")
CHECKS = (*RANKING_CHECKS, *KNOWLEDGE_CHECKS, *WALK_CHECKS, "lifecycle_hit")
_OF_ANY_PROBE = ("edge_validity", "lifecycle_hit")
"""What can be said of an answer that cannot be right or wrong by itself."""


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
