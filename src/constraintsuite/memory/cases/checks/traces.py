"""Does the trace hold the transfers that are expected?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from constraintsuite.memory.cases.checks.evidence import MetricValues
from constraintsuite.memory.cases.coverage import is_foreign_trace
from constraintsuite.memory.cases.matching import matches
from constraintsuite.memory.cases.model import Expectation, ExpectedTrace, ExpectedTransfer
from constraintsuite.memory.cases.vocabulary import FOREIGN_STOPS, own_edge
from constraintsuite.memory.recall import SearchAnswer, TraceStep


def trace_values(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`trace_hit`: the trace of the best path has the expected steps, all required stop reasons and a length within the
    bounds; `snapshot_hit`: the whole trace has the expected steps."""
    best = best_path_trace(recall)
    shape = _shape(wanted.activation_trace, best)
    required = [reason for reason in wanted.required_trace_stop_reasons if reason not in FOREIGN_STOPS]
    stops = {step.stopped for step in best}.issuperset(required) if required else None
    length = _length(wanted, len(best) if recall.paths else None)
    asked = [check for check in (shape, stops, length) if check is not None]
    snapshot = _shape(wanted.activation_snapshot, recall.trace)
    return {
        "trace_hit": float(all(asked)) if asked else None,
        "snapshot_hit": None if snapshot is None else float(snapshot),
    }


def best_path_trace(recall: SearchAnswer) -> list[TraceStep]:
    """The steps of the trace that the best path is made of, in its order."""
    if not recall.paths:
        return []
    steps = recall.paths[0].steps
    walked: list[tuple[int, str | None, str]] = [(0, None, steps[0].node)]
    walked += [(hop, before.node, step.node) for hop, (before, step) in enumerate(pairwise(steps), 1)]
    by_place = {(step.hop, step.source, step.node): step for step in recall.trace}
    return [by_place[place] for place in walked if place in by_place]


def _shape(expected: ExpectedTrace | None, trace: Sequence[TraceStep]) -> bool | None:
    if expected is None or is_foreign_trace(expected):
        return None
    return matches(expected.steps, trace, _fits, expected.match_mode)


def _length(wanted: Expectation, length: int | None) -> bool | None:
    """Without a best path there is no length, and none within the bounds."""
    least, most = wanted.min_activation_trace_length, wanted.max_activation_trace_length
    if least is None and most is None:
        return None
    return length is not None and (least is None or length >= least) and (most is None or length <= most)


def _fits(expected: ExpectedTransfer, step: TraceStep) -> bool:
    kind = own_edge(expected.edge_type) if expected.edge_type else None
    return (
        expected.node_id == step.node
        and (kind is None or kind == step.edge)
        and expected.hop in (None, step.hop)
        and expected.is_seed in (None, step.seed)
        and expected.stopped_reason in (None, step.stopped)
    )
