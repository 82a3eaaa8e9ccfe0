"""The graph of a memory: nodes have numbers, and edges are what the documents say, in whatever order they come."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, Unit
from memory.tiny_parts import part, table

LEASE = part(
    "lease",
    ["The tenant pays.", "Unless the boiler fails."],
    [("lease:2", "lease:1", "exception_to"), ("lease:1", "lease:2", "next"), ("lease:1", "annex:1", "refers_to")],
    [(1, "tenant"), (2, "boiler")],
)
ANNEX = part("annex", ["The boiler is old."], [("annex:1", "annex:1", "refers_to")], [(1, "boiler")])


def same(a: MemoryGraph, b: MemoryGraph) -> bool:
    columns = [[np.asarray(column) for each in (graph.edges, graph.open_edges) for column in each] for graph in (a, b)]
    return (a.units, a.entities, a.documents, a.absent, table(a)) == (
        b.units,
        b.entities,
        b.documents,
        b.absent,
        table(b),
    ) and all(np.array_equal(one, other) and one.dtype == other.dtype for one, other in zip(*columns, strict=True))


def test_units_are_numbered_by_document_and_entities_stand_behind_them() -> None:
    graph = build_graph([LEASE, ANNEX])
    names = ["annex:1", "lease:1", "lease:2", "entity:boiler", "entity:tenant"]
    assert [graph.node_id(number) for number in range(graph.size)] == names
    assert [graph.number(name) for name in names] == [0, 1, 2, 3, 4]
    assert [(held.id, held.title, held.first, held.length) for held in graph.documents] == [
        ("annex", "Annex", 0, 1),
        ("lease", "Lease", 1, 2),
    ]


def test_edges_are_sorted_and_mentions_are_among_them() -> None:
    assert table(build_graph([LEASE, ANNEX])) == [
        Edge("annex:1", "annex:1", "refers_to", because="refers_to rule"),
        Edge("annex:1", "entity:boiler", "mentions", because="Boiler"),
        Edge("lease:1", "annex:1", "refers_to", because="refers_to rule"),
        Edge("lease:1", "lease:2", "next", because="next rule"),
        Edge("lease:1", "entity:tenant", "mentions", because="Tenant"),
        Edge("lease:2", "lease:1", "exception_to", because="exception_to rule"),
        Edge("lease:2", "entity:boiler", "mentions", because="Boiler"),
    ]


def test_surfaces_of_one_entity_in_a_unit_are_one_mention_that_weighs_as_much() -> None:
    mentions = (EntityMention("lease:1", "tenant", "The tenant", 2), EntityMention("lease:1", "tenant", "tenant's"))
    graph = build_graph([replace(LEASE, edges=(), mentions=mentions)])
    assert table(graph) == [Edge("lease:1", "entity:tenant", "mentions", 3.0, because="The tenant, tenant's")]


@pytest.mark.parametrize(
    ("given", "gone"), [([0, 3], {0, 3}), (np.array([0, 3]), {0, 3}), (np.arange(7) % 3 == 0, {0, 3, 6}), ([], set())]
)
def test_edges_can_be_left_out_by_number_or_mask(given: list[int], gone: set[int]) -> None:
    graph = build_graph([LEASE, ANNEX])
    left = graph.without(given)
    assert table(left) == [edge for number, edge in enumerate(table(graph)) if number not in gone]
    assert (left.units, left.entities) == (graph.units, graph.entities)
    assert len(table(graph)) == 7


@pytest.mark.parametrize("parts", [[], [part("empty", [])], [part("one", ["alone"])]])
def test_graphs_without_edges(parts: list[MemoryDocument]) -> None:
    graph = build_graph(parts)
    assert (len(table(graph)), len(graph.open_edges.source)) == (0, 0)
    assert len(graph.documents) == len(parts)


def test_ids_may_be_of_any_script_and_hold_colons() -> None:
    graph = build_graph([part("契約:第1部", ["文"], mentions=[(1, "москва")])])
    assert graph.number("契約:第1部:1") == 0
    assert graph.node_id(1) == "entity:москва"


@pytest.mark.parametrize("unknown", ["lease:9", "entity:nobody", "tenant", ""])
def test_an_unknown_node_is_a_user_error(unknown: str) -> None:
    with pytest.raises(UserError, match=f"No unit or entity of this memory has the id '{unknown}'"):
        build_graph([LEASE]).number(unknown)


@pytest.mark.parametrize("number", [-1, 4])
def test_a_number_beyond_the_nodes_has_no_id(number: int) -> None:
    with pytest.raises(IndexError, match="of a graph with 4"):
        build_graph([LEASE]).node_id(number)


def with_edge(**fields: object) -> MemoryDocument:
    return replace(LEASE, edges=(replace(Edge("lease:1", "lease:2", "next"), **fields),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        pytest.param([LEASE, LEASE], "Document 'lease' is given twice", id="document twice"),
        pytest.param(
            [replace(LEASE, units=LEASE.units * 2)], "two of its units have the id 'lease:1'", id="unit twice"
        ),
        pytest.param(
            [replace(ANNEX, units=LEASE.units)], "cannot hold the unit 'lease:1' of 'lease'", id="foreign unit"
        ),
        pytest.param(
            [replace(ANNEX, units=(Unit("a:1", "annex", ""),))], "cannot hold the unit 'a:1'", id="foreign id"
        ),
        pytest.param([part("entity", ["x"])], "Rename it", id="named like entities"),
        pytest.param([with_edge(source="annex:1")], "begins at no unit of this document", id="foreign source"),
        pytest.param([with_edge(target="lease:9")], "ends at a unit that this document does not have", id="dangling"),
        pytest.param([with_edge(target="entity:boiler")], "ends at an entity", id="to an entity"),
        pytest.param([with_edge(kind="mentions")], "write it as a mention", id="a mention as an edge"),
        pytest.param([with_edge(kind="likes")], "unknown kind 'likes'", id="unknown kind"),
        pytest.param([with_edge(weight=0.0)], "'lease:1' to 'lease:2' weighs 0.0", id="no weight"),
        pytest.param([with_edge(weight=inf)], "weighs inf", id="infinite weight"),
        pytest.param([with_edge(weight=nan)], "weighs nan", id="weight that is not a number"),
        pytest.param([with_edge(confidence=1.5)], "the confidence 1.5", id="too sure"),
        pytest.param([with_edge(confidence=0.0)], "the confidence 0.0", id="not sure at all"),
        pytest.param([with_edge(confidence=nan)], "the confidence nan", id="confidence that is not a number"),
        pytest.param(
            [replace(LEASE, edges=LEASE.edges[:1] * 2)], "two of its edges of kind 'exception_to' lead", id="edge twice"
        ),
        pytest.param(
            [replace(LEASE, edges=LEASE.edges[2:] * 2)], "'lease:1' to 'annex:1'", id="edge to the absent twice"
        ),
        pytest.param([replace(ANNEX, mentions=LEASE.mentions)], "is in no unit of this document", id="foreign mention"),
        pytest.param([part("a", ["x"], mentions=[(1, "")])], "has no name", id="nameless entity"),
        pytest.param([replace(ANNEX, mentions=(EntityMention("annex:1", "x", "X", 0),))], "counts 0", id="no count"),
    ],
)
def test_bad_documents_are_refused_by_name(parts: list[MemoryDocument], message: str) -> None:
    with pytest.raises(UserError, match=message):
        build_graph(parts)


def test_an_edge_waits_for_its_document() -> None:
    alone, both = build_graph([LEASE]), build_graph([LEASE, ANNEX])
    assert (len(alone.open_edges.source), alone.absent, len(table(alone))) == (1, ("annex:1",), 4)
    assert (len(both.open_edges.source), both.absent, len(table(both))) == (0, (), 7)


def test_edges_cannot_be_written_over() -> None:
    with pytest.raises(ValueError, match="read-only"):
        build_graph([LEASE]).edges.weight[0] = 2.0


@st.composite
def documents(draw: st.DrawFn) -> MemoryDocument:
    """A document `a` to `d` of up to three units, with edges to its own units and to those of the others."""
    name = draw(st.sampled_from("abcd"))
    count = draw(st.integers(0, 3))
    ends = [f"{document}:{n}" for document in "abcd" for n in range(1, 4)]
    ends = [end for end in ends if not end.startswith(name) or int(end[2:]) <= count]
    kinds: list[EdgeKind] = ["next", "refers_to"]
    triples = st.tuples(st.integers(1, max(1, count)), st.sampled_from(ends), st.sampled_from(kinds)) if ends else None
    edges = draw(st.sets(triples, max_size=4)) if triples is not None and count else set()
    mentions = draw(st.sets(st.tuples(st.integers(1, count), st.sampled_from("xyz")), max_size=3)) if count else set()
    texts = draw(st.lists(st.text("ab ", max_size=5), min_size=count, max_size=count))
    return part(name, texts, [(f"{name}:{n}", end, kind) for n, end, kind in sorted(edges)], sorted(mentions))


@given(st.lists(documents(), unique_by=lambda one: one.id), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(parts: list[MemoryDocument], chance: Random) -> None:
    shuffled = list(parts)
    chance.shuffle(shuffled)
    assert same(build_graph(parts), build_graph(shuffled))
