"""What a case asks for that nothing here can answer: it is told, and never counted as passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from constraintsuite.memory.cases.model import BenchmarkCase, ExpectedPath, ExpectedTrace
from constraintsuite.memory.cases.vocabulary import FOREIGN_EDGES, FOREIGN_FIELDS, FOREIGN_STOPS


def not_evaluated(case: BenchmarkCase) -> tuple[str, ...]:
    """The fields of a case that are not evaluated, or not wholly, each with why."""
    return tuple(_unanswered(case))


def count_not_evaluated(cases: Iterable[BenchmarkCase]) -> dict[str, int]:
    """How many cases have each such field."""
    return dict(sorted(Counter(field for case in cases for field in not_evaluated(case)).items()))


def is_foreign_path(path: ExpectedPath) -> bool:
    """Whether a step needs a kind of edge that no memory here has."""
    return any(step.via_edge_type in FOREIGN_EDGES for step in path.steps)


def is_foreign_trace(trace: ExpectedTrace) -> bool:
    """Whether a step needs an edge or a reason that no trace here has."""
    return any(step.edge_type in FOREIGN_EDGES or step.stopped_reason in FOREIGN_STOPS for step in trace.steps)


def _unanswered(case: BenchmarkCase) -> Iterator[str]:
    wanted = case.expectation
    for name in FOREIGN_FIELDS:
        if getattr(wanted, name) not in (None, ()):
            yield name
    if wanted.path is not None and is_foreign_path(wanted.path):
        yield "path: kind of edge without counterpart"
    if wanted.activation_trace is not None and is_foreign_trace(wanted.activation_trace):
        yield "activation_trace: edge or stop reason without counterpart"
    if wanted.activation_snapshot is not None and is_foreign_trace(wanted.activation_snapshot):
        yield "activation_snapshot: edge or stop reason without counterpart"
    if FOREIGN_EDGES.intersection(wanted.required_edge_types):
        yield "required_edge_types: kind of edge without counterpart"
    if FOREIGN_STOPS.intersection(wanted.required_trace_stop_reasons):
        yield "required_trace_stop_reasons: reason without counterpart"
