"""`csuite memory ingest`, `add` and `remove`: the documents of a memory."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.app.cli.options import dry_run_option, json_option, out_option, workers_option
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import OUT
from constraintsuite.core.errors import first_of
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.ingest.growth import MemoryUpdate
    from constraintsuite.memory.records import MemoryDocument

_paths = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
_graph = click.argument("graph", type=OUT)
_SHOWN = 10


@click.command()
@_paths
@out_option()
@click.option("--name", show_default="the name of the folder", help="Name of the memory.")
@click.option("--by-path", is_flag=True, help="Name documents by their path instead of their file name.")
@workers_option
@dry_run_option
@json_option
def ingest(
    paths: tuple[Path, ...], out: Path, name: str | None, by_path: bool, workers: int, dry_run: bool, as_json: bool
) -> None:
    """Read PATHS into a new memory: Markdown and text files, and folders with such files in or below them.

    Headings, numbered clauses and steps, lists and tables become units; citations, conditions, exceptions, contradictions
    and shared names become edges, each with the reason for it.
    """
    from constraintsuite.core.execution.engine import LocalEngine
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.memory.ingest.growth import ingest_memory

    parts = ingest_memory(
        out,
        paths,
        name=name or out.resolve().name,
        by_path=by_path,
        engine=LocalEngine(workers),
        reporter=Terminal(),
        dry_run=dry_run,
    )
    record = _record(out, parts, written=not dry_run)
    emit(record, as_json, _lines(record))


@click.command()
@_graph
@_paths
@workers_option
@dry_run_option
@json_option
def add(graph: Path, paths: tuple[Path, ...], workers: int, dry_run: bool, as_json: bool) -> None:
    """Add the documents of PATHS to GRAPH. Documents that changed are replaced; unchanged ones are left as they are.

    Afterwards GRAPH is what `ingest` would make of all its documents at once: new and old documents are linked both ways.
    """
    from constraintsuite.core.execution.engine import LocalEngine
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.memory.ingest.growth import add_documents

    update = add_documents(graph, paths, engine=LocalEngine(workers), reporter=Terminal(), dry_run=dry_run)
    done = {"new": update.new, "replaced": update.replaced, "unchanged": update.unchanged}
    _print_update(update, done, dry_run, as_json)


@click.command()
@_graph
@click.argument("documents", nargs=-1, required=True)
@dry_run_option
@json_option
def remove(graph: Path, documents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Remove DOCUMENTS, and every link to them, from GRAPH. `csuite show` lists their names."""
    from constraintsuite.memory.ingest.growth import remove_documents

    update = remove_documents(graph, documents, dry_run=dry_run)
    _print_update(update, {"removed": update.removed}, dry_run, as_json)


def _record(graph: Path, parts: Sequence[MemoryDocument], *, written: bool) -> dict[str, Any]:
    from constraintsuite.memory.ingest.collection import collection_version
    from constraintsuite.memory.ingest.growth import empty_documents

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


def _lines(record: dict[str, Any]) -> Iterator[str]:
    done = "Memory" if record["written"] else "Would be written"
    yield f"{done}: {record['graph']}, version {record['version'][:12]}"
    yield from count_lines({name: record[name] for name in ("documents", "units", "mentions", "entities")})
    for title in ("edges", "roles"):
        listed = ", ".join(f"{count:,} {kind}" for kind, count in record[title].items())
        yield f"    {title}: {listed or 'none'}"
    yield from _note_lines(record["notes"])
    if record["written"]:
        yield f'Next: csuite memory search {record["graph"]} "YOUR QUESTION" --mode ppr --explain'


def _print_update(update: MemoryUpdate, done: dict[str, tuple[str, ...]], dry_run: bool, as_json: bool) -> None:
    artifact = update.artifact
    written = not dry_run and any(done[what] for what in done if what != "unchanged")
    counts = {key: artifact.manifest.counts[key] for key in ("documents", "units", "edges", "mentions")}
    links = {"documents": update.relinked, "gained": update.gained, "lost": update.lost}
    record = {"graph": shown(artifact.path), "written": written, **done, "relinked": links, "counts": counts}
    lines = [f"{what}: {_listed(which)}" for what, which in done.items()]
    if update.relinked:
        lines.append(f"relinked: {_listed(update.relinked)} (links: {update.gained:,} gained, {update.lost:,} lost)")
    holds = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    last = f"{shown(artifact.path)} {'now' if written else 'still'} holds {holds}."
    emit({**record, "notes": update.notes}, as_json, [*lines, *_note_lines(update.notes), last])


def _note_lines(notes: Sequence[str]) -> Iterator[str]:
    yield from (f"note: {note}." for note in first_of(notes, _SHOWN))


def _listed(documents: Sequence[str]) -> str:
    """Write the number of documents, and the first of them."""
    return f"{len(documents):,}: {', '.join(first_of(documents, _SHOWN))}" if documents else "0"
