"""`csuite memory ingest`, `add` and `remove`: what a memory is made of."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.cli.memory.options import dry_run_option, json_option
from constraintsuite.cli.places import OUT
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.ingest.growing import MemoryUpdate
    from constraintsuite.memory.records import MemoryDocument

_paths = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
_graph = click.argument("graph", type=OUT)
_SHOWN = 10
_workers = click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes.")


@click.command()
@_paths
@click.option("--out", "graph", type=OUT, required=True, help="Folder to create.")
@click.option("--name", help="What the memory is called.  [default: the name of the folder]")
@click.option("--by-path", is_flag=True, help="Name documents by their path, not by the name of their file alone.")
@_workers
@dry_run_option
@json_option
def ingest(
    paths: tuple[Path, ...],
    graph: Path,
    name: str | None,
    by_path: bool,
    workers: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Read all Markdown and text files among PATHS, and below folders among them, into a new memory.

    Headings, numbered clauses and steps, lists and tables become units; citations, conditions, exceptions, contradictions
    and shared names become edges, each with the reason for it.
    """
    from constraintsuite.execution.engine import LocalEngine
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.ingest.growing import ingest_memory

    parts = ingest_memory(
        graph,
        paths,
        name=name or graph.resolve().name,
        by_path=by_path,
        engine=LocalEngine(workers),
        reporter=Terminal(),
        dry_run=dry_run,
    )
    _tell(_record(graph, parts, written=not dry_run), as_json)
    if not as_json and not dry_run:
        click.echo(f'Next: csuite memory search {shown(graph)} "YOUR QUESTION" --mode ppr --explain')


@click.command()
@_graph
@_paths
@_workers
@dry_run_option
@json_option
def add(graph: Path, paths: tuple[Path, ...], workers: int, dry_run: bool, as_json: bool) -> None:
    """Add the documents of PATHS to GRAPH; one that is there already is replaced, one that did not change is left.

    Afterwards GRAPH is what `ingest` would make of all its documents at once: new documents are linked with old ones both ways.
    """
    from constraintsuite.execution.engine import LocalEngine
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.ingest.growing import add_documents

    growth = add_documents(graph, paths, engine=LocalEngine(workers), reporter=Terminal(), dry_run=dry_run)
    done = {"new": growth.new, "replaced": growth.replaced, "unchanged": growth.unchanged}
    _tell_growth(growth, done, dry_run, as_json)


@click.command()
@_graph
@click.argument("documents", nargs=-1, required=True)
@dry_run_option
@json_option
def remove(graph: Path, documents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Remove DOCUMENTS from GRAPH, by the names that `csuite memory show` lists, and every link to them."""
    from constraintsuite.memory.ingest.growing import remove_documents

    growth = remove_documents(graph, documents, dry_run=dry_run)
    _tell_growth(growth, {"removed": growth.removed}, dry_run, as_json)


def _record(graph: Path, parts: Sequence[MemoryDocument], *, written: bool) -> dict[str, Any]:
    from constraintsuite.memory.ingest.collection import collection_version
    from constraintsuite.memory.ingest.growing import empty_documents

    kinds = Counter(edge.kind for part in parts for edge in part.edges)
    roles = Counter(role for part in parts for unit in part.units for role in unit.roles)
    return {
        "graph": shown(graph),
        "written": written,
        "version": collection_version(parts),
        "documents": len(parts),
        "units": sum(len(part.units) for part in parts),
        "edges": dict(kinds.most_common()),
        "mentions": sum(len(part.mentions) for part in parts),
        "entities": len({mention.entity for part in parts for mention in part.mentions}),
        "roles": dict(roles.most_common()),
        "notes": empty_documents(parts),
    }


def _tell(record: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    done = "Memory" if record["written"] else "Would be written"
    click.echo(f"{done}: {record['graph']}, version {record['version'][:12]}")
    for name in ("documents", "units", "mentions", "entities"):
        click.echo(f"{record[name]:>9,} {name}")
    for title in ("edges", "roles"):
        listed = ", ".join(f"{count:,} {kind}" for kind, count in record[title].items())
        click.echo(f"    {title}: {listed or 'none'}")
    _tell_notes(record["notes"])


def _tell_growth(growth: MemoryUpdate, done: dict[str, tuple[str, ...]], dry_run: bool, as_json: bool) -> None:
    artifact = growth.artifact
    written = not dry_run and any(done[what] for what in done if what != "unchanged")
    counts = {key: artifact.manifest.counts[key] for key in ("documents", "units", "edges", "mentions")}
    if as_json:
        links = {"documents": growth.relinked, "gained": growth.gained, "lost": growth.lost}
        record = {"graph": shown(artifact.path), "written": written, **done, "relinked": links, "counts": counts}
        record["notes"] = growth.notes
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    for what, which in done.items():
        click.echo(f"{what}: {_listed(which)}")
    if growth.relinked:
        click.echo(f"relinked: {_listed(growth.relinked)} (links: {growth.gained:,} gained, {growth.lost:,} lost)")
    _tell_notes(growth.notes)
    holds = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    click.echo(f"{shown(artifact.path)} {'now' if written else 'still'} holds {holds}.")


def _tell_notes(notes: Sequence[str]) -> None:
    for note in notes[:_SHOWN]:
        click.echo(f"note: {note}.")
    if len(notes) > _SHOWN:
        click.echo(f"note: ... and {len(notes) - _SHOWN:,} more.")


def _listed(documents: Sequence[str]) -> str:
    """How many, and the first of them."""
    names = ", ".join(documents[:_SHOWN]) + (", ..." if len(documents) > _SHOWN else "")
    return f"{len(documents):,}: {names}" if documents else "0"
