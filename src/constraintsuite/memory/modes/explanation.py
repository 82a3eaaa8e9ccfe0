"""A search explained by paths and a trace: only what was computed, with the numbers that were used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from constraintsuite.memory.graph import FloatArray
from constraintsuite.memory.modes.arcs import STEP_KINDS
from constraintsuite.memory.modes.base import IndexArray
from constraintsuite.memory.modes.beam import ArcTransfer, SeedReach
from constraintsuite.memory.modes.graph_view import GraphView
from constraintsuite.memory.results import PathStep, SearchPath, StopReason, TraceStep

StopReasonOf = Callable[[int, int, int], StopReason | None]
"""Why nothing went on from a node with arcs that was reached from a seed in some hop; None where something did."""
SearchExplanation = tuple[tuple[SearchPath, ...], tuple[TraceStep, ...]]


def explain(
    view: GraphView,
    reached: SeedReach,
    own: FloatArray,
    chosen: IndexArray,
    stopped: StopReasonOf,
    transfer: Callable[[ArcTransfer], ArcTransfer] = lambda walked: walked,
) -> SearchExplanation:
    """For each chosen unit what it began with, and the walk from another that brought it most; and a trace of those walks.

    `own` is what each node began with. `transfer` says what went over an arc in a hop in all, where that is more than the
    walk brought.
    """

    def reason(seed: int, node: int, hop: int) -> StopReason | None:
        if view.is_end(node):
            return "disallowed_edge_type" if view.barred[node] else None
        return stopped(seed, node, hop)

    graph, arcs = view.graph, view.arcs
    paths = []
    steps: dict[tuple[int, int, int], TraceStep] = {}
    for seed, node in enumerate(reached.starts.tolist()):
        held = float(own[node])
        steps[0, 0, seed] = TraceStep(graph.node_id(node), None, None, 0, held, held, True, reason(seed, node, 0))
    for node in chosen.tolist():
        if own[node] > 0:
            paths.append(_path(view, node, float(own[node]), []))
        seed, walk = reached.walk_to(node)
        if walk:
            paths.append(_path(view, int(reached.starts[seed]), walk[0].held, walk))
        for walked in walk:
            arc, hop, held, passed = transfer(walked)
            end, source = int(arcs.target[arc]), int(arcs.source[arc])
            kind = STEP_KINDS[int(arcs.kind[arc])]
            steps[hop, arc, seed] = TraceStep(
                graph.node_id(end), graph.node_id(source), kind, hop, held, passed, stopped=reason(seed, end, hop)
            )
    # In a sum the same transfer serves the walks of several seeds: it is shown once.
    return _best_first(paths), tuple(dict.fromkeys(steps[key] for key in sorted(steps)))


def _path(view: GraphView, begin: int, start: float, walk: Sequence[ArcTransfer]) -> SearchPath:
    """A walk from a node that holds `start`; its score is that and all that arrived on the way."""
    graph, arcs = view.graph, view.arcs
    steps = [PathStep(graph.node_id(begin), start)]
    for arc, _, _, passed in walk:
        kind = STEP_KINDS[int(arcs.kind[arc])]
        steps.append(PathStep(graph.node_id(int(arcs.target[arc])), passed, kind, bool(arcs.backwards[arc])))
    return SearchPath(tuple(steps), float(sum(step.score for step in steps)))


def _best_first(paths: Sequence[SearchPath]) -> tuple[SearchPath, ...]:
    """By score, without those that another one begins with; equal scores in the order given."""
    begun = {path.steps[:length] for path in paths for length in range(1, len(path.steps))}
    distinct = dict.fromkeys(path for path in paths if path.steps not in begun)
    return tuple(sorted(distinct, key=lambda path: -path.score))
