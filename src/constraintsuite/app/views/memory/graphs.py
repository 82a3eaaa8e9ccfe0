"""The page of a memory: what it holds, and searches in it that need no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.pages.walks.model import WalkPicture
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.app.views.memory.picture import AROUND, picture_of
from constraintsuite.core.records.sections import Remarks, Section
from constraintsuite.core.records.tables import Column, Table, columns, count_table
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.memory.folder import KIND, open_memory
from constraintsuite.memory.graph import EDGE_KINDS, MemoryGraph
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode

PLAIN = {
    "ppr": "Personalised PageRank: units that match the question pass weight along edges and shared names, over and over. "
    "Units that receive the most weight rank first.",
    "lexical_baseline": "BM25 alone: units that share rare words with the question. It uses no edges.",
    "structure_only": "Words of the question, and the best path of at most two edges from a unit that matches. Every edge has "
    "the same weight.",
    "weighted_graph": "Like structure_only, but the kind and confidence of an edge decide its weight, and exceptions and "
    "contradictions weigh more.",
    "weighted_graph_static": "Like weighted_graph, but it ignores what was confirmed in use. Only csuite memory search reads "
    "confirmations; on the site, both rank alike.",
    "activation_spreading_v1": "Units that match pass activation on for three steps, divided among their edges. The activation "
    "that a unit receives is summed.",
    "activation_spreading_static": "Like activation_spreading_v1, but it ignores what was confirmed in use. Only csuite memory "
    "search reads confirmations; on the site, both rank alike.",
}
"""Modes that need no model, with a description for the page, each under one name; the first is the default."""
_MOST_NAMED = 12
SHOWN_DOCUMENTS = 500
"""Documents that the page lists; thousands of rows would make it megabytes large."""
_ABOUT_DOCUMENTS = "A unit is what a search returns: a paragraph, a list item, or a turn of a dialogue."
_ABOUT_PARTS = (
    "Edges connect units that follow, cite or contradict one another, and units with the names that they mention."
)
_COUNTED = {
    "edges": "Edges by kind.",
    "roles": "Roles that were found in units; a unit may have several.",
    "most_named": f"The names that most units mention, at most {_MOST_NAMED}.",
}


@show_each
def show_graph(path: Path, _: ShowOptions) -> Display:
    """The page of one memory: its documents, edges, roles and names."""
    memory = open_memory(path)
    contents = overview(memory.graph)
    about = f"{len(contents['documents']):,} documents, {contents['units']:,} units, {contents['entities']:,} entities."
    return Display(
        Masthead(Artifact.open_unverified(path, KIND).manifest.name, "memory", about), tuple(_sections(contents))
    )


def search_memory(memory: Memory, query: str, mode: str, budget: int) -> WalkPicture:
    """Search a memory and return the picture that `csuite memory search --html` also draws."""
    return picture_of(memory, load_mode(mode, memory).search(query, budget), budget, AROUND)


def overview(graph: MemoryGraph) -> dict[str, Any]:
    """The documents of a memory, and counts of its units, edges, roles and names."""
    kinds = Counter(EDGE_KINDS[kind] for kind in graph.edges.kind.tolist())
    units = len(graph.units)
    named = Counter(node for node in graph.edges.target.tolist() if node >= units)
    return {
        "documents": [
            {"id": one.id, "title": one.title, "units": one.length, "sha256": one.sha256} for one in graph.documents
        ],
        "units": units,
        "entities": len(graph.entities),
        "edges": dict(kinds.most_common()),
        "waiting": len(graph.open_edges.source),
        "roles": dict(Counter(role for unit in graph.units for role in unit.roles).most_common()),
        "most_named": {graph.entities[node - units]: count for node, count in named.most_common(_MOST_NAMED)},
    }


def _sections(contents: dict[str, Any]) -> Iterator[Section]:
    documents = tuple((one["id"], one["title"], one["units"]) for one in contents["documents"])
    heads = (*columns("text", "document", "title"), Column("units", "count"))
    caption = f"The first {SHOWN_DOCUMENTS:,} of {len(documents):,}." if len(documents) > SHOWN_DOCUMENTS else ""
    table = Table("documents", caption, heads, documents[:SHOWN_DOCUMENTS])
    yield Section("documents", "Documents", _ABOUT_DOCUMENTS, (table,))
    tables = (count_table(name, caption, contents[name]) for name, caption in _COUNTED.items() if contents[name])
    waiting = (
        (f"{contents['waiting']:,} edges lead to documents that are not in this memory.",)
        if contents["waiting"]
        else ()
    )
    parts = Section("parts", "Edges, roles and names", _ABOUT_PARTS, (*tables, Remarks(waiting)))
    if parts.blocks:
        yield parts
