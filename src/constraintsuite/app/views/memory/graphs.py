"""What a memory holds, and searches in it that need no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.pages.walks.model import WalkPicture
from constraintsuite.app.views.counts import count_table
from constraintsuite.app.views.display import Display, show_each
from constraintsuite.app.views.memory.picture import AROUND, picture_of
from constraintsuite.core.records.sections import Remarks, Section, SectionBlock, TableBlock
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.memory.folder import KIND, open_memory
from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode

PLAIN = {
    "ppr": "Units that match pass their weight on along edges and over shared names, again and again (personalised PageRank): "
    "first comes what the most leads to.",
    "lexical_baseline": "BM25 alone: units that share rare words with the question. No edge is walked.",
    "structure_only": "Words of the question, and the best walk of at most two edges from a unit that matches; every edge "
    "counts the same.",
    "weighted_graph": "As structure_only, but an edge is as strong as its kind and confidence say, and exceptions and "
    "contradictions count more.",
    "weighted_graph_static": "As weighted_graph, whatever was confirmed in use before: the control of the dynamic one.",
    "weighted_graph_dynamic": "Another name of weighted_graph: what was confirmed in use counts more. The site "
    "reads none of that: csuite memory search does.",
    "activation_spreading_v1": "Units that match pass activation on for three steps, the less to each the more edges they have; "
    "what arrives is added up.",
    "activation_spreading_static": "As activation_spreading_v1, whatever was confirmed in use before: the control of the "
    "dynamic one.",
    "activation_spreading_dynamic": "Another name of activation_spreading_v1: what was confirmed in use counts more. The site reads "
    "none of that: csuite memory search does.",
}
"""Modes that need no model, with what each does; the one that is asked for if none is named comes first."""
_MOST_NAMED = 12
SHOWN_DOCUMENTS = 500
"""On the page; thousands of rows would be megabytes of it."""
_ABOUT_DOCUMENTS = "A unit is what a search returns: a paragraph, an item of a list, a turn of a dialogue."
_ABOUT_PARTS = (
    "Edges join units that follow, cite or contradict one another, and units with the names that they mention."
)


@show_each
def show_graph(path: Path) -> Display:
    """The page of one memory: its documents, edges, roles and names."""
    memory = open_memory(path)
    held = overview(memory.graph)
    about = f"{len(held['documents']):,} documents, {held['units']:,} units, {held['entities']:,} entities."
    return Display(
        Masthead(Artifact.open_unverified(path, KIND).manifest.name, "memory", about), tuple(_sections(held))
    )


def search_memory(memory: Memory, query: str, mode: str, budget: int) -> WalkPicture:
    """The picture of one search, as `csuite memory search --html` draws it."""
    return picture_of(memory, load_mode(mode, memory).search(query, budget), budget, AROUND)


def overview(graph: MemoryGraph) -> dict[str, Any]:
    """Counts of all that a memory holds, and its documents."""
    kinds = Counter(EDGE_KINDS[kind] for kind in graph.edges.kind.tolist())
    units = len(graph.units)
    named = Counter(node for node in graph.edges.target.tolist() if node >= units)
    return {
        "documents": [
            {"id": held.id, "title": held.title, "units": held.length, "sha256": held.sha256}
            for held in graph.documents
        ],
        "units": units,
        "entities": len(graph.entities),
        "edges": dict(kinds.most_common()),
        "waiting": len(graph.open_edges.source),
        "roles": dict(Counter(role for unit in graph.units for role in unit.roles).most_common()),
        "most_named": {graph.entities[node - units]: count for node, count in named.most_common(_MOST_NAMED)},
    }


def _sections(held: dict[str, Any]) -> Iterator[Section]:
    documents = tuple((one["id"], one["title"], one["units"]) for one in held["documents"])
    columns = (Column("document"), Column("title"), Column("units", "count"))
    told = f"The first {SHOWN_DOCUMENTS:,} of {len(documents):,}." if len(documents) > SHOWN_DOCUMENTS else ""
    table = Table("documents", told, columns, documents[:SHOWN_DOCUMENTS])
    yield Section("documents", "Documents", _ABOUT_DOCUMENTS, (TableBlock(table),))
    blocks: list[SectionBlock] = [
        TableBlock(count_table(name, caption, held[name]))
        for name, caption in (
            ("edges", "Edges by their kind."),
            ("roles", "Roles that units were read to have; a unit may have several."),
            ("most_named", f"Names that most units mention, at most {_MOST_NAMED}."),
        )
        if held[name]
    ]
    if held["waiting"]:
        blocks.append(Remarks((f"{held['waiting']:,} edges lead to documents that are not here.",)))
    if blocks:
        yield Section("parts", "What it is made of", _ABOUT_PARTS, tuple(blocks))
