"""`csuite memory modes`, and the output of `csuite show` for a memory."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.options import json_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.show import FolderView
from constraintsuite.core.errors import UserError, first_of
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.graph import MemoryGraph

_SHOWN = 12


def view_memory(folder: Path, part: str | None) -> FolderView:
    """Show the content of a memory, or of one part of it: a unit, a document, or entity:NAME."""
    from constraintsuite.app.views.memory.graphs import overview
    from constraintsuite.memory.folder import open_memory

    graph = open_memory(folder).graph
    if part is not None:
        record = _of_node(graph, part)
        return FolderView(record, _node_lines(record))
    record = {"graph": shown(folder), **overview(graph)}
    return FolderView(record, _overview_lines(record))


@click.command()
@json_option
def modes(as_json: bool) -> None:
    """List the search modes and their default options. Set others as in ppr,damping=0.7."""
    from constraintsuite.memory.memory import Memory
    from constraintsuite.memory.modes import MODES
    from constraintsuite.memory.modes.base import load_mode

    listed: dict[str, dict[str, Any] | None] = {}
    for name in MODES.names():
        try:
            facts = load_mode(name, Memory()).describe()
        except UserError:
            listed[name] = None  # it needs a model after a colon
        else:
            listed[name] = {key: value for key, value in facts.items() if key != "mode"}
    emit(listed, as_json, _mode_lines(listed))


def _mode_lines(listed: Mapping[str, Mapping[str, object] | None]) -> Iterator[str]:
    for name, options in listed.items():
        if options is None:
            yield f"{name}:MODEL  reranks what it found with a model of `csuite models`, as in {name}:cross:NAME"
        else:
            shown = ", ".join(f"{key}={_option(value)}" for key, value in options.items())
            yield f"{name}  {shown}".rstrip()


def _option(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _overview_lines(record: dict[str, Any]) -> Iterator[str]:
    yield f"{record['graph']}: {len(record['documents']):,} documents, {record['units']:,} units, {record['entities']:,} entities"
    for title in ("edges", "roles"):
        yield f"  {title}: " + (", ".join(f"{count:,} {name}" for name, count in record[title].items()) or "none")
    if record["waiting"]:
        yield f"  {record['waiting']:,} edges lead to documents that are not here"
    if record["most_named"]:
        yield "  mentioned most: " + ", ".join(f"{name} ({count})" for name, count in record["most_named"].items())
    documents = [f"{held['id']}: {held['units']:,} units, {held['title']!r}" for held in record["documents"]]
    yield from (f"  {line}" for line in first_of(documents, _SHOWN, " documents; --json lists all"))


def _of_node(graph: MemoryGraph, node: str) -> dict[str, Any]:
    document = next((held for held in graph.documents if held.id == node), None)
    if document is not None:
        units = graph.units[document.first : document.first + document.length]
        return {"document": node, "title": document.title, "units": {unit.id: unit.text for unit in units}}
    number = graph.number(node)
    unit = asdict(graph.units[number]) if number < len(graph.units) else {"id": node}
    rows = ((graph.edges.source == number) | (graph.edges.target == number)).nonzero()[0].tolist()
    return {**unit, "edges": [asdict(graph.edge(row)) for row in rows]}


def _node_lines(record: dict[str, Any]) -> Iterator[str]:
    from constraintsuite.core.records.figures import percent

    if "units" in record:
        yield f"{record['document']}: {record['title']}"
        yield from (f"  {unit}  {' '.join(text.split())}" for unit, text in record["units"].items())
        return
    yield " › ".join([record["id"], *record.get("headings", ())])
    if "text" in record:
        yield f"  {record['text']}"
        about = [*record["roles"], *([f"lines {record['lines'][0]}–{record['lines'][1]}"] if record["lines"] else [])]
        about += [f"{key} {record[key]}" for key in ("valid_from", "valid_to") if record[key]]
        yield f"  ({', '.join(about)})" if about else ""
    for edge in record["edges"]:
        out = edge["source"] == record["id"]
        arrow = f"→ {edge['target']}" if out else f"← {edge['source']}"
        yield f"  {edge['kind']:<12} {arrow}  ({edge['because']}; weight {edge['weight']:g}, confidence {percent(edge['confidence'])})"
