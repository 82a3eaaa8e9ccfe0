"""Paths of a search: the best walk from each seed to each node within reach, and the trace of those that are shown.

A walk brings what its seed holds, times the share that each arc lets through. That share is below 1, so the best walk never
visits a node twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.base import IndexArray
from constraintsuite.memory.modes.walk import STEP_KINDS, Arcs, GraphView
from constraintsuite.memory.results import PathStep, SearchPath, StopReason, TraceStep

ArcShares = Callable[[IndexArray], FloatArray]
"""Gives the share of a value that each of some arcs lets through."""
Continues = Callable[[int, IndexArray], BoolArray]
"""After a number of hops: says from which of some nodes a walk continues."""
StopReasonOf = Callable[[int, int, int], StopReason | None]
"""Why nothing left a node with arcs that was reached from a seed in some hop; None where something did."""
SearchExplanation = tuple[tuple[SearchPath, ...], tuple[TraceStep, ...]]


class ArcTransfer(NamedTuple):
    """The activation that passed over one arc in one hop."""

    arc: int
    hop: int
    held: float
    """The activation of the source."""
    passed: float
    """How much of it arrived."""


class Gains(NamedTuple):
    """The pairs of a seed and a node that got a better value in one hop, each pair as one number, sorted."""

    pairs: IndexArray
    arcs: IndexArray
    values: FloatArray


class SeedReach:
    """The best walk from each seed to each node within reach.

    A pair of a seed and a node is one number: seed * nodes + node. `pairs` are those that something came to, sorted, and
    `values` the best that came.
    """

    def __init__(self, arcs: Arcs, starts: IndexArray, values: FloatArray) -> None:
        self.arcs, self.starts, self.values = arcs, starts, values
        self.size = len(arcs.first) - 1
        self.pairs: IndexArray = np.arange(len(starts)) * self.size + starts
        self.gains: list[Gains] = []
        """What improved in each hop."""
        self.cut: set[int] = set()
        """Pairs that were outside of the beam at their last turn."""

    def value(self, pairs: IndexArray) -> FloatArray:
        """Return the best value of each of some pairs; 0 where nothing has come."""
        return _look_up(self.pairs, self.values, pairs)

    def take(self, gains: Gains) -> None:
        """Put what was gained in the place of what was there."""
        self.gains.append(gains)
        stays = ~np.isin(self.pairs, gains.pairs)
        pairs = np.concatenate([self.pairs[stays], gains.pairs])
        order = np.argsort(pairs)
        self.pairs, self.values = pairs[order], np.concatenate([self.values[stays], gains.values])[order]

    def arrived(self) -> FloatArray:
        """For each node, the most that came to it from any one seed; nothing comes to a seed from itself."""
        arrived = np.zeros(self.size)
        for gains in self.gains:
            np.maximum.at(arrived, gains.pairs % self.size, gains.values)
        return arrived

    def last_arcs(self) -> IndexArray:
        """For each node that something came to, the arc over which the most came; among equals the arc of the first seed."""
        if not self.gains:
            return np.empty(0, dtype=np.intp)
        pairs, arcs, values = (np.concatenate(column) for column in zip(*self.gains, strict=True))
        seed, node = np.divmod(pairs, self.size)
        order = np.lexsort((seed, -values, node))
        _, first = np.unique(node[order], return_index=True)
        last: IndexArray = arcs[order[first]]
        return last

    def was_cut(self, seed: int, node: int) -> bool:
        """Whether a node that was reached from a seed was left out of the beam."""
        return seed * self.size + node in self.cut

    def walk_to(self, node: int) -> tuple[int, list[ArcTransfer]]:
        """Return the seed from which the most came to a node, and the way it came; no way if nothing did."""
        most, seed, last = 0.0, 0, 0
        for hop, gains in enumerate(self.gains, 1):
            values = _look_up(gains.pairs, gains.values, np.arange(len(self.starts)) * self.size + node)
            here = int(values.argmax())
            if (values[here], -here) > (most, -seed):
                most, seed, last = float(values[here]), here, hop
        steps = []
        for hop in range(last, 0, -1):
            row = int(np.searchsorted(self.gains[hop - 1].pairs, seed * self.size + node))
            arc, passed = int(self.gains[hop - 1].arcs[row]), float(self.gains[hop - 1].values[row])
            steps.append((arc, hop, passed))
            node = int(self.arcs.source[arc])
        walk, held = [], float(self.value(np.array([seed * self.size + node]))[0])
        for arc, hop, passed in reversed(steps):
            walk.append(ArcTransfer(arc, hop, held, passed))
            held = passed
        return seed, walk


def _look_up(pairs: IndexArray, values: FloatArray, wanted: IndexArray) -> FloatArray:
    """Return the values of some pairs in a sorted table; 0 for a pair that is not there."""
    rows = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
    return np.where(pairs[rows] == wanted, values[rows], 0.0)


def reach(
    arcs: Arcs,
    passing: ArcShares,
    starts: IndexArray,
    values: FloatArray,
    *,
    hops: int,
    beam: int,
    continues: Continues | None = None,
) -> SeedReach:
    """Walk from each start hop by hop, beginning with `values`.

    At each hop the best `beam` pairs of a seed and a node continue; `continues` says from which nodes a walk may.
    """
    done = SeedReach(arcs, starts, values)
    pairs = np.arange(len(starts)) * done.size + starts
    for hop in range(hops):
        if continues is not None:
            going = continues(hop, pairs % done.size)
            pairs, values = pairs[going], values[going]
        order = np.argsort(-values, kind="stable")
        kept = np.sort(order[:beam])
        done.cut.difference_update(pairs[kept].tolist())
        done.cut.update(pairs[order[beam:]].tolist())
        gains = _gains(done, passing, pairs[kept], values[kept])
        if not len(gains.pairs):
            break
        done.take(gains)
        pairs, values = gains.pairs, gains.values
    return done


def _gains(done: SeedReach, passing: ArcShares, pairs: IndexArray, values: FloatArray) -> Gains:
    """Return the best offer to each pair of a seed and a node, if it beats what the pair has; of equals the first arc."""
    nodes = pairs % done.size
    arc, which = done.arcs.leaving(nodes)
    offer = values[which] * passing(arc)
    pair = (pairs - nodes)[which] + done.arcs.target[arc]
    # Pairs are sorted and so are arcs: of the offers to one pair, the first arc's comes first, and a stable sort keeps that.
    order = np.argsort(pair, kind="stable")
    pair, arc, offer = pair[order], arc[order], offer[order]
    begin = np.flatnonzero(np.diff(pair, prepend=-1))
    most = np.maximum.reduceat(offer, begin) if len(begin) else offer
    highest = np.flatnonzero(offer == np.repeat(most, np.diff(begin, append=len(pair))))
    chosen = highest[np.searchsorted(highest, begin)]
    better = offer[chosen] > done.value(pair[chosen])
    return Gains(pair[chosen][better], arc[chosen][better], offer[chosen][better])


def explain(
    view: GraphView,
    reached: SeedReach,
    own: FloatArray,
    chosen: IndexArray,
    stopped: StopReasonOf,
    transfer: Callable[[ArcTransfer], ArcTransfer] = lambda walked: walked,
) -> SearchExplanation:
    """Explain a search by paths and a trace: only what was computed, with the numbers that were used.

    For each chosen unit there is a path of what it began with (`own`), and the walk from another unit that brought it most.
    `transfer` gives all that went over an arc in a hop, where that is more than the walk brought.
    """

    def reason(seed: int, node: int, hop: int) -> StopReason | None:
        if not view.arcs.fan(np.array([node]))[0]:
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
