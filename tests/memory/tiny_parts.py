"""Documents of a few words, written in a line each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from constraintsuite.core.store.files import sha256_text
from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, Unit
from constraintsuite.models.base import TextRole


def part(
    document: str,
    texts: Sequence[str],
    edges: Iterable[tuple[str, str, EdgeKind]] = (),
    mentions: Iterable[tuple[int, str]] = (),
    headings: tuple[str, ...] = (),
) -> MemoryDocument:
    """Units `document:1`, `document:2`, ...; an edge is source, target and kind, a mention the number of a unit and a name."""
    units = tuple(Unit(f"{document}:{n}", document, text, headings) for n, text in enumerate(texts, 1))
    linked = tuple(Edge(source, target, kind, because=f"{kind} rule") for source, target, kind in edges)
    named = tuple(EntityMention(f"{document}:{n}", name, name.title()) for n, name in mentions)
    return MemoryDocument(document, document.title(), sha256_text(*texts), units, linked, named)


def table(graph: MemoryGraph) -> list[Edge]:
    """All edges of a graph, as records."""
    return [graph.edge(number) for number in range(len(graph.edges.source))]


@dataclass
class LetterEncoder:
    """How often a, b and c stand in a text."""

    name: str = "letters"
    fingerprint: str = "1e77e25"
    similarity: Literal["cosine", "dot", "euclidean", "manhattan"] = "dot"
    asked: list[tuple[TextRole, tuple[str, ...]]] = field(default_factory=list)

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        self.asked.append((role, tuple(texts)))
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)
