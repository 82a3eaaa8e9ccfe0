"""A computation told as paths and as a trace: only what was done, with the numbers that were used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from constraintsuite.memory.modes.arcs import STEP_KINDS
from constraintsuite.memory.modes.base import FloatArray, IndexArray
from constraintsuite.memory.modes.beam import ArcTransfer, SeedReach
from constraintsuite.memory.modes.ground import PresentGraph
from constraintsuite.memory.recall import PathStep, SearchPath, StepKind, StopReason, TraceStep


class Account(NamedTuple):
    """What a computation did for some units."""

    paths: tuple[SearchPath, ...]
    trace: tuple[TraceStep, ...]


class Bookkeeping(Protocol):
    """Knows the numbers of a computation that walks were taken from."""

    def transfer(self, walked: ArcTransfer) -> ArcTransfer:
        """What went over that arc in that hop in all."""

    def stopped(self, seed: int, node: int, hop: int) -> StopReason | None:
        """Why nothing went on from a node that was reached from a seed; None where something did, or no edge leads on."""


def tell(ground: PresentGraph, reached: SeedReach, own: FloatArray, chosen: IndexArray, books: Bookkeeping) -> Account:
    """Of each chosen unit that it began with `own`, and the walk from another that brought it most; a trace of those walks."""
    paths = []
    steps: dict[tuple[int, int, int], TraceStep] = {}
    for seed, node in enumerate(reached.starts.tolist()):
        steps[0, 0, seed] = _seed_step(ground, node, float(own[node]), books.stopped(seed, node, 0))
    for node in chosen.tolist():
        if own[node] > 0:
            paths.append(_path(ground, node, float(own[node]), []))
        seed, walk = reached.walk_to(node)
        if walk:
            paths.append(_path(ground, int(reached.starts[seed]), walk[0].held, walk))
        for each in walk:
            stopped = books.stopped(seed, int(ground.arcs.target[each.arc]), each.hop)
            steps[each.hop, each.arc, seed] = _transfer_step(ground, books.transfer(each), stopped)
    # In a sum the same transfer serves the walks of several seeds: it is told once.
    return Account(_best_first(paths), tuple(dict.fromkeys(steps[key] for key in sorted(steps))))


def _path(ground: PresentGraph, begin: int, start: float, walk: Sequence[ArcTransfer]) -> SearchPath:
    """A walk from a node that holds `start`; its score is that and all that arrived on the way."""
    graph, arcs = ground.graph, ground.arcs
    steps = [PathStep(graph.node_id(begin), start)]
    for arc, _, _, passed in walk:
        there = graph.node_id(int(arcs.target[arc]))
        steps.append(PathStep(there, passed, _kind(ground, arc), bool(arcs.backwards[arc])))
    return SearchPath(tuple(steps), float(sum(step.score for step in steps)))


def _best_first(paths: Sequence[SearchPath]) -> tuple[SearchPath, ...]:
    """By score, without those that another one begins with; equal scores in the order given."""
    begun = {path.steps[:length] for path in paths for length in range(1, len(path.steps))}
    distinct = dict.fromkeys(path for path in paths if path.steps not in begun)
    return tuple(sorted(distinct, key=lambda path: -path.score))


def _seed_step(ground: PresentGraph, node: int, held: float, stopped: StopReason | None) -> TraceStep:
    """The beginning of walks."""
    return TraceStep(ground.graph.node_id(node), None, None, 0, held, held, seed=True, stopped=stopped)


def _transfer_step(ground: PresentGraph, each: ArcTransfer, stopped: StopReason | None) -> TraceStep:
    """What went over an arc."""
    graph, arcs = ground.graph, ground.arcs
    node, source = (graph.node_id(int(ends[each.arc])) for ends in (arcs.target, arcs.source))
    return TraceStep(node, source, _kind(ground, each.arc), each.hop, each.held, each.passed, stopped=stopped)


def _kind(ground: PresentGraph, arc: int) -> StepKind:
    return STEP_KINDS[int(ground.arcs.kind[arc])]
