"""The answer of a memory search as the data of a picture: its units, the paths to them, and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from constraintsuite.app.pages.walks.model import Link, Node, NodePart, WalkPicture
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.tables import Column, ItemColumns, Table, columns, tabulate
from constraintsuite.memory.graph import ENTITY, MemoryGraph
from constraintsuite.memory.results import SearchAnswer, SearchPath, TraceStep

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory

MOST = 36
"""Nodes that a picture holds; the tables list the others."""
AROUND = 12
"""Neighbours that the search did not touch, shown around its answer."""


def picture_of(memory: Memory, answer: SearchAnswer, budget: int, around: int) -> WalkPicture:
    """The picture of a search: the units found, the paths to them, and at most `around` neighbours that it did not touch."""
    scene = _Scene(memory.graph, answer)
    shown = scene.shown(around)
    layers = scene.layers(shown)
    last = max(layers.values(), default=0)
    near = [name for name in shown if name not in layers]
    nodes = tuple(scene.node(name, layers.get(name, last + 1)) for name in shown)
    titles = _titles(answer, last) + (("Neighbours, not touched",) if near else ())
    links = tuple(scene.links(shown))
    return WalkPicture(
        answer.query, _about(memory, answer, budget), titles, nodes, links, _tables(answer), scene.remarks(shown)
    )


class _Scene:
    """The nodes and edges that a search touched, by node id."""

    def __init__(self, graph: MemoryGraph, answer: SearchAnswer) -> None:
        self.graph, self.answer = graph, answer
        self.ranks = {found.unit: (found.rank, found.score) for found in self.answer.ranking}
        self.starts = frozenset(step.node for step in self.answer.trace if step.seed)
        self.hops: dict[str, int] = {}
        self.passed: dict[tuple[str, str, str], float] = {}
        for path in self.answer.paths:
            for hop, step in enumerate(path.steps):
                self.hops[step.node] = min(hop, self.hops.get(step.node, hop))
        for unit in self.ranks:
            self.hops.setdefault(unit, 0)
        self.hops |= dict.fromkeys(self.starts & self.hops.keys(), 0)
        for transfer in self.answer.trace:
            if transfer.source is not None and transfer.edge is not None:
                key = (transfer.source, transfer.node, transfer.edge)
                self.passed[key] = self.passed.get(key, 0.0) + transfer.passed

    def shown(self, around: int) -> list[str]:
        """The ids of the nodes in the picture: units found, nodes on the paths to them, other starting points, neighbours."""
        walked = [step.node for path in self.answer.paths for step in path.steps]
        touched = list(dict.fromkeys([*self.ranks, *walked, *sorted(self.starts)]))[:MOST]
        return touched + self._neighbours(touched, min(around, MOST - len(touched)))

    def _neighbours(self, touched: list[str], most: int) -> list[str]:
        """Nodes with the strongest edges to the touched ones, by weight times confidence; the strongest first."""
        inside = {self.graph.number(name) for name in touched}
        strength: dict[int, float] = {}
        edges = self.graph.edges
        for source, target, weight, sure in zip(
            edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), edges.confidence.tolist(), strict=True
        ):
            for here, there in ((source, target), (target, source)):
                if here in inside and there not in inside:
                    strength[there] = strength.get(there, 0.0) + weight * sure
        best = sorted(strength, key=lambda node: (-strength[node], node))[: max(0, most)]
        return [self.graph.node_id(node) for node in best]

    def layers(self, shown: list[str]) -> dict[str, int]:
        """The layer of each touched node: its number of steps from a starting point, renumbered so that no layer is empty."""
        hops = {name: self.hops.get(name, 0) for name in shown if name in self.hops or name in self.starts}
        dense = {hop: number for number, hop in enumerate(sorted(set(hops.values())))}
        return {name: dense[hop] for name, hop in hops.items()}

    def node(self, name: str, layer: int) -> Node:
        rank, score = self.ranks.get(name, (None, None))
        part = self._part(name)
        if name.startswith(ENTITY):
            return Node(name, name.removeprefix(ENTITY), part, layer, self._named_by(name), entity=True)
        unit = self.graph.units[self.graph.number(name)]
        made_of = (self.answer.parts or {}).get(name, {})
        facts = [(key, f"{value:.4g}") for key, value in made_of.items()]
        facts += [("roles", ", ".join(unit.roles))] if unit.roles else []
        return Node(name, name, part, layer, unit.text, " › ".join(unit.headings), rank, score, tuple(facts))

    def _named_by(self, entity: str) -> str:
        edges = self.graph.edges
        count = len(set(edges.source[edges.target == self.graph.number(entity)].tolist()))
        return "A name that one unit mentions." if count == 1 else f"A name that {count:,} units mention."

    def _part(self, name: str) -> NodePart:
        if name in self.starts:
            return "start"
        if name in self.ranks:
            return "reached" if self.hops[name] > 0 else "found"
        return "walked" if name in self.hops else "near"

    def links(self, shown: list[str]) -> Iterator[Link]:
        inside = {self.graph.number(name): name for name in shown}
        rows = zip(self.graph.edges.source.tolist(), self.graph.edges.target.tolist(), strict=True)
        for number, (source, target) in enumerate(rows):
            if source in inside and target in inside:
                edge = self.graph.edge(number)
                about = f"{edge.because}; weight {edge.weight:.3g}, confidence {percent(edge.confidence)}"
                there = self.passed.get((edge.source, edge.target, edge.kind))
                back = self.passed.get((edge.target, edge.source, edge.kind))
                passed = None if there is None and back is None else (there or 0.0) + (back or 0.0)
                yield Link(
                    edge.source, edge.target, edge.kind, about.lstrip("; "), passed, there is None and back is not None
                )

    def remarks(self, shown: list[str]) -> tuple[str, ...]:
        if not self.ranks:
            return (nothing_found(self.graph),)
        left = len(self.ranks.keys() - set(shown))
        remarks = [f"{left} of the returned units do not fit into the picture; the ranking lists them."] if left else []
        if not any(len(path.steps) > 1 for path in self.answer.paths):
            remarks.append(f"{self.answer.mode} reached nothing through an edge: it found each returned unit directly.")
        return tuple(remarks)


def nothing_found(graph: MemoryGraph) -> str:
    """The reason why an answer is empty."""
    if not graph.units:
        return "Nothing was found: this memory holds no unit."
    return "Nothing was found: the query is empty or shares no word with any unit, or no unit is valid at that time."


def _titles(answer: SearchAnswer, last: int) -> tuple[str, ...]:
    begin = "Starting points, and units found directly" if answer.trace else "Found directly"
    return (begin, *(f"{number} {'step' if number == 1 else 'steps'} away" for number in range(1, last + 1)))


def _about(memory: Memory, answer: SearchAnswer, budget: int) -> str:
    returned = _counted(len(answer.ranking), "unit")
    documents, units = _counted(len(memory.graph.documents), "document"), _counted(len(memory.graph.units), "unit")
    return f"Mode {answer.mode}, {returned} at a budget of {budget}, from a memory of {documents} and {units}."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _tables(answer: SearchAnswer) -> tuple[Table, ...]:
    tables = [_ranking(answer)] if answer.ranking else []
    tables += [_paths(answer)] if any(len(path.steps) > 1 for path in answer.paths) else []
    tables += [trace_table(answer.trace)] if answer.trace else []
    return tuple(tables)


def _ranking(answer: SearchAnswer) -> Table:
    names = list(dict.fromkeys(name for parts in (answer.parts or {}).values() for name in parts))
    heads = (Column("unit"), Column("rank", "count"), *columns("number", "score", *names))
    parts = answer.parts or {}
    rows = tuple(
        (found.unit, found.rank, found.score, *(parts.get(found.unit, {}).get(name) for name in names))
        for found in answer.ranking
    )
    return Table("ranking", "The returned units, best first.", heads, rows)


def _paths(answer: SearchAnswer) -> Table:
    caption = "The paths that contributed most to the answer. An arrow to the left follows an edge backwards."
    rows = tuple((path_text(path), path.score, len(path.steps) - 1) for path in answer.paths if len(path.steps) > 1)
    return Table("paths", caption, (Column("path"), Column("score", "number"), Column("steps", "count")), rows)


def path_text(path: SearchPath) -> str:
    """A path on one line; an arrow to the left follows an edge backwards."""
    words = [path.steps[0].node]
    for step in path.steps[1:]:
        words.append(f"←{step.via}— {step.node}" if step.backwards else f"—{step.via}→ {step.node}")
    return " ".join(words)


_TRACE: ItemColumns[TraceStep] = {
    "hop": ("count", lambda step: step.hop),
    "from": ("text", lambda step: step.source or ""),
    "edge": ("text", lambda step: step.edge or "start"),
    "to": ("text", lambda step: step.node),
    "held": ("number", lambda step: step.incoming),
    "passed": ("number", lambda step: step.passed),
    "stopped": ("text", lambda step: step.stopped or ""),
}


def trace_table(steps: Sequence[TraceStep]) -> Table:
    """The transfers of activation, one row each."""
    caption = "Trace: the activation of the source, how much of it arrived, and why it was not passed on from there."
    return tabulate("trace", caption, steps, _TRACE)
