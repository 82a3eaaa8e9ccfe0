"""A lease with an exception, a remedy and a company that two sections name; and random graphs to walk."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, SemanticRole, Unit
from constraintsuite.models.dense import DenseScorer
from memory.tiny_parts import LetterEncoder

TEXTS: tuple[tuple[str, tuple[SemanticRole, ...]], ...] = (
    ("The landlord repairs the boiler.", ("obligation",)),
    ("This clause does not apply to a boiler that the tenant has altered.", ("exception",)),
    ("Rent is paid monthly to Acme Ltd.", ("obligation",)),
    ("Acme Ltd may terminate for arrears.", ("remedy",)),
    ("Notices are given in writing.", ()),
)
EDGES: tuple[tuple[int, int, EdgeKind, float], ...] = (
    (1, 2, "next", 0.4),
    (2, 3, "next", 0.4),
    (3, 4, "next", 0.4),
    (2, 1, "exception_to", 0.9),
)


def lease(valid: Iterable[tuple[int, str | None, str | None]] = ()) -> MemoryDocument:
    times = {number: (begin, end) for number, begin, end in valid}
    units = tuple(
        Unit(f"lease:{n}", "lease", text, ("Lease",), roles, None, *times.get(n, (None, None)))
        for n, (text, roles) in enumerate(TEXTS, 1)
    )
    edges = tuple(Edge(f"lease:{a}", f"lease:{b}", kind, weight) for a, b, kind, weight in EDGES)
    mentions = tuple(EntityMention(f"lease:{n}", "acme ltd", "Acme Ltd") for n in (3, 4))
    return MemoryDocument("lease", "Lease", "0" * 64, units, edges, mentions)


def lease_memory(*parts: MemoryDocument) -> Memory:
    return Memory.of(parts or [lease()], DenseScorer("letters", LetterEncoder(), "cosine"))


WORDS = ("boiler", "rent", "roof", "notice")
ENTITIES = ("acme", "bolt")


@st.composite
def parts(draw: st.DrawFn, entities: tuple[str, ...] = ENTITIES) -> MemoryDocument:
    """Up to seven units joined at random: cycles, edges to oneself, parallel edges and islands included."""
    texts = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), min_size=1, max_size=7))
    ids = [f"d:{n}" for n in range(1, len(texts) + 1)]
    units = tuple(Unit(name, "d", " ".join(words)) for name, words in zip(ids, texts, strict=True))
    kinds = st.sampled_from([kind for kind in EDGE_KINDS if kind != "mentions"])
    rows = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids), kinds), max_size=14, unique=True))
    weights = draw(st.lists(st.floats(0.1, 2.0), min_size=len(rows), max_size=len(rows)))
    edges = tuple(Edge(*row, weight) for row, weight in zip(rows, weights, strict=True))
    named = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(entities)), max_size=6, unique=True))
    mentions = tuple(EntityMention(unit, entity, entity.title()) for unit, entity in named)
    return MemoryDocument("d", "D", "0" * 64, units, edges, mentions)


def memories() -> st.SearchStrategy[Memory]:
    return parts().map(lambda part: Memory.of([part]))


queries = st.lists(st.sampled_from((*WORDS, *ENTITIES)), min_size=1, max_size=3).map(" ".join)


def is_plain(graph: MemoryGraph) -> bool:
    """No edge to oneself, and no two edges between the same nodes."""
    ends = list(zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True))
    return all(a != b for a, b in ends) and len({frozenset(pair) for pair in ends}) == len(ends)
