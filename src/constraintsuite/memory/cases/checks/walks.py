"""Does the answer show the walk that leads to it, over edges that are there?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from constraintsuite.memory.cases.checks.evidence import MetricValues
from constraintsuite.memory.cases.coverage import is_foreign_path
from constraintsuite.memory.cases.matching import edit_distance, longest_common, matches
from constraintsuite.memory.cases.model import Expectation, ExpectedStep
from constraintsuite.memory.cases.vocabulary import FOREIGN_EDGES, own_edge
from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.recall import PathStep, SearchAnswer, SearchPath, StepKind


def path_values(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`path_hit`, and of the returned path that is nearest to the expected one (in scope): the part of the expected nodes
    that it visits in order, the part of its own nodes that are expected, and the edit distance over the longer length."""
    if wanted.path is None or is_foreign_path(wanted.path):
        return dict.fromkeys(("path_hit", "path_recall", "path_precision", "path_edit"))
    paths = recall.paths[:1] if wanted.path_scope == "best_path" else recall.paths
    expected, mode = wanted.path.steps, wanted.path.match_mode
    hit = any(matches(expected, path.steps, _fits, mode) for path in paths)
    nodes = [step.node_id for step in expected]
    nearest = min((_nodes(path) for path in paths), key=lambda found: edit_distance(nodes, found), default=[])
    shared = longest_common(nodes, nearest)
    return {
        "path_hit": float(hit),
        "path_recall": shared / len(nodes),
        "path_precision": shared / len(nearest) if nearest else None,
        "path_edit": edit_distance(nodes, nearest) / max(len(nodes), len(nearest)),
    }


def edge_types_value(wanted: Expectation, recall: SearchAnswer) -> MetricValues:
    """`edge_types_hit`: whether the best path has every required kind of edge."""
    required = {own_edge(name) for name in wanted.required_edge_types if name not in FOREIGN_EDGES}
    if not required:
        return {"edge_types_hit": None}
    walked = {step.via for path in recall.paths[:1] for step in path.steps}
    return {"edge_types_hit": float(required <= walked)}


class EdgeBook:
    """The edges of a graph, to look up whether one is there."""

    def __init__(self, graph: MemoryGraph) -> None:
        table = graph.edges
        self._graph = graph
        rows = zip(table.source.tolist(), table.target.tolist(), table.kind.tolist(), strict=True)
        self._numbers = {row: number for number, row in enumerate(rows)}

    def number(self, before: PathStep, step: PathStep) -> int | None:
        """The edge that a step from the one before it walked, in the direction in which it did; None if there is none."""
        if step.via is None:
            return None
        ends = (before.node, step.node) if not step.backwards else (step.node, before.node)
        return self._find(*ends, step.via)

    def between(self, one: str, other: str, kind: StepKind) -> set[int]:
        """The edges of a kind between two nodes, in either direction."""
        return {number for ends in ((one, other), (other, one)) if (number := self._find(*ends, kind)) is not None}

    def _find(self, source: str, target: str, kind: StepKind) -> int | None:
        if kind == "synonym":  # names that are alike are no edge of the graph
            return None
        return self._numbers.get((self._graph.number(source), self._graph.number(target), EDGE_KINDS.index(kind)))


def validity_value(paths: Sequence[SearchPath], book: EdgeBook) -> MetricValues:
    """`edge_validity`: the share of the edges of all returned paths that exist; a step between synonyms claims none."""
    pairs = [pair for path in paths for pair in pairwise(path.steps) if pair[1].via != "synonym"]
    walked = [book.number(*pair) is not None for pair in pairs]
    return {"edge_validity": sum(walked) / len(walked) if walked else None}


def _fits(expected: ExpectedStep, step: PathStep) -> bool:
    kind = own_edge(expected.via_edge_type) if expected.via_edge_type else None
    return expected.node_id == step.node and (kind is None or kind == step.via)


def _nodes(path: SearchPath) -> list[str]:
    return [step.node for step in path.steps]
