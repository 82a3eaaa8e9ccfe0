"""Contradictions between documents: only where both speak of the same rare thing by its name, at a time when both hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from constraintsuite.memory.ingest.claims import Claim
from constraintsuite.memory.ingest.comparing import compare
from constraintsuite.memory.ingest.linking import ReadDocument
from constraintsuite.memory.records import EDGE_WEIGHTS, Edge, Unit, parse_time

_MOST_SHARING = 40
"""Claims that may name a thing; more, and it is no common subject but a common word."""
_SURENESS = 0.8


class _Stated(NamedTuple):
    unit: Unit
    claim: Claim


def contradictions_between(documents: Sequence[ReadDocument]) -> Mapping[str, list[Edge]]:
    """Edges by the document they leave: from the later of two documents (by id) to the earlier."""
    by_name: dict[str, list[_Stated]] = defaultdict(list)
    for document in documents:
        for unit, reading in zip(document.parsed.units, document.readings, strict=True):
            for claim in reading.claims:
                for name in claim.names & claim.subject:
                    by_name[name].append(_Stated(unit, claim))
    found: dict[str, dict[tuple[str, str], Edge]] = defaultdict(dict)
    for name in sorted(by_name):
        if len(by_name[name]) <= _MOST_SHARING:
            for edge, document_id in _within(by_name[name], name):
                found[document_id].setdefault((edge.source, edge.target), edge)
    return {document: list(edges.values()) for document, edges in found.items()}


def _within(stated: Sequence[_Stated], name: str) -> Iterator[tuple[Edge, str]]:
    for number, earlier in enumerate(stated):
        for later in stated[number + 1 :]:
            if earlier.unit.document == later.unit.document or not _overlap(earlier.unit, later.unit):
                continue
            found = compare(later.claim, earlier.claim)
            if found is not None and found.conflict == "equal":
                because = f"both about {name!r}: {found.because}"
                sureness = round(found.confidence * _SURENESS, 3)
                edge = Edge(
                    later.unit.id, earlier.unit.id, "contradicts", EDGE_WEIGHTS["contradicts"], sureness, because
                )
                yield edge, later.unit.document


def _overlap(first: Unit, second: Unit) -> bool:
    """Whether there is a time at which both hold."""
    starts = [parse_time(one) for one in (first.valid_from, second.valid_from) if one is not None]
    ends = [parse_time(one) for one in (first.valid_to, second.valid_to) if one is not None]
    return not starts or not ends or max(starts) < min(ends)
