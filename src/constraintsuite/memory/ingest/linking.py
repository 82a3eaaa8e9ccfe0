"""Edges between units, each with the rule it rests on and how sure that rule is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.memory.ingest.definitions import TermFinder
from constraintsuite.memory.ingest.document import ParsedDocument
from constraintsuite.memory.ingest.naming import Named
from constraintsuite.memory.ingest.reading import UnitReading
from constraintsuite.memory.ingest.subjects import content_edges
from constraintsuite.memory.records import EDGE_WEIGHTS, Edge, EdgeKind

MOST_LEAVING = 6
MOST_ARRIVING = 64
"""Edges of one kind at a unit, whichever documents they come from; the surest are kept. Structure (next, part_of) has as
many as the document has."""
_MOST_USES = 64
_COMMON_SHARE = 0.2
_SMALL_DOCUMENT = 10


@dataclass(frozen=True)
class ReadDocument:
    """A document with what its units say and name: all that can be known of it without the others."""

    parsed: ParsedDocument
    readings: tuple[UnitReading, ...]
    names: tuple[tuple[Named, ...], ...]


def document_edges(document: ReadDocument, cited: Iterable[Edge]) -> tuple[Edge, ...]:
    """All edges from the units of a document, each once; `cited` are those that rest on citations."""
    explicit = list(cited)
    edges = [
        *_next_edges(document.parsed),
        *_part_edges(document.parsed),
        *explicit,
        *_definition_edges(document),
        *content_edges(document.parsed, document.readings, explicit),
    ]
    best: dict[tuple[str, str, EdgeKind], Edge] = {}
    for edge in edges:
        key = _key(edge)
        if edge.source != edge.target and (key not in best or edge.confidence > best[key].confidence):
            best[key] = edge
    return tuple(best.values())


def bounded(drawn: Sequence[Sequence[Edge]]) -> list[tuple[Edge, ...]]:
    """The edges of each document of a collection, less those of a kind of which a unit has too many."""
    leaving: Counter[tuple[str, EdgeKind]] = Counter()
    arriving: Counter[tuple[str, EdgeKind]] = Counter()
    dropped: set[tuple[str, str, EdgeKind]] = set()
    linking = (edge for edges in drawn for edge in edges if edge.kind not in ("next", "part_of"))
    for edge in sorted(linking, key=lambda edge: -edge.confidence):  # of equals the first in the collection
        out, into = (edge.source, edge.kind), (edge.target, edge.kind)
        if leaving[out] == MOST_LEAVING or arriving[into] == MOST_ARRIVING:
            dropped.add(_key(edge))
            continue
        leaving[out] += 1
        arriving[into] += 1
    return [tuple(edge for edge in edges if _key(edge) not in dropped) for edges in drawn]


def _key(edge: Edge) -> tuple[str, str, EdgeKind]:
    return (edge.source, edge.target, edge.kind)


def _next_edges(document: ParsedDocument) -> Iterator[Edge]:
    places = document.places
    for before in range(len(places) - 1):
        if places[before].section == places[before + 1].section:
            yield Edge(
                _id(document, before),
                _id(document, before + 1),
                "next",
                EDGE_WEIGHTS["next"],
                because="stands next in the section",
            )


def _part_edges(document: ParsedDocument) -> Iterator[Edge]:
    for unit, place in enumerate(document.places):
        if place.parent is not None:
            yield Edge(
                _id(document, unit),
                _id(document, place.parent),
                "part_of",
                EDGE_WEIGHTS["part_of"],
                because="lies in this item",
            )


def _definition_edges(document: ReadDocument) -> Iterator[Edge]:
    """From each unit that uses a defined term to the unit that defines it; terms used everywhere tell nothing."""
    parsed = document.parsed
    definers: dict[str, list[int]] = defaultdict(list)
    for unit, reading in enumerate(document.readings):
        for term in reading.definitions:
            definers[term].append(unit)
    finder = TermFinder(sorted(definers))
    used = [finder.find(unit.text) for unit in parsed.units]
    counts = Counter(term for terms in used for term in terms)
    small = len(parsed.units) <= _SMALL_DOCUMENT
    for unit, terms in enumerate(used):
        for term in terms:
            common = counts[term] > _MOST_USES or counts[term] > _COMMON_SHARE * len(parsed.units)
            if unit in definers[term] or (common and not small):
                continue
            before = [definer for definer in definers[term] if definer < unit]
            definer = before[-1] if before else definers[term][0]
            yield Edge(
                _id(parsed, unit),
                _id(parsed, definer),
                "depends_on",
                EDGE_WEIGHTS["depends_on"],
                0.9,
                f"uses the term {term!r}",
            )


def _id(document: ParsedDocument, unit: int) -> str:
    return document.units[unit].id
