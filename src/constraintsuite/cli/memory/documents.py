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

from constraintsuite.cli.memory.options import dry_run_option, folder_type, graph_argument, json_option

if TYPE_CHECKING:
    from constraintsuite.memory.records import Part
    from constraintsuite.store.artifact import Artifact

_paths = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
_workers = click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes.")


@click.command()
@_paths
@click.option("--out", "graph", type=folder_type, required=True, help="Folder to create.")
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
    from constraintsuite.memory.folder import write_memory

    parts = _read(paths, by_path, workers)
    if dry_run:
        _tell(_record(graph, parts, written=False), as_json)
        return
    write_memory(graph, parts, name=name or graph.resolve().name, settings={"by_path": by_path})
    _tell(_record(graph, parts, written=True), as_json)
    if not as_json:
        click.echo(f'Next: csuite memory search {graph} "YOUR QUESTION" --mode ppr --explain')


@click.command()
@graph_argument
@_paths
@_workers
@dry_run_option
@json_option
def add(graph: Path, paths: tuple[Path, ...], workers: int, dry_run: bool, as_json: bool) -> None:
    """Add the documents of PATHS to GRAPH; one that is there already is replaced, one that did not change is left.

    Names join new documents and old ones at once. Citations between two documents are found when both are among PATHS.
    """
    from constraintsuite.memory.folder import KIND, update_memory
    from constraintsuite.memory.segments import Change, entries, refuse_faults
    from constraintsuite.store.artifact import Artifact

    artifact = Artifact.open(graph, KIND)
    refuse_faults(artifact)
    settings = artifact.manifest.settings
    parts = _read(paths, bool(settings.get("by_path")), workers)
    held = entries(artifact)
    new = [part.id for part in parts if part.id not in held]
    changed = [part.id for part in parts if part.id in held and held[part.id].digest != Change.to(part).digest]
    done = {"added": new, "replaced": changed, "unchanged": len(parts) - len(new) - len(changed)}
    if not dry_run:
        artifact = update_memory(graph, parts, settings=settings)
    _tell_update(artifact, done, dry_run, as_json)


@click.command()
@graph_argument
@click.argument("documents", nargs=-1, required=True)
@dry_run_option
@json_option
def remove(graph: Path, documents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Remove DOCUMENTS from GRAPH, by the names that `csuite memory show` lists."""
    from constraintsuite.errors import UserError
    from constraintsuite.memory.folder import KIND, held_documents, update_memory
    from constraintsuite.store.artifact import Artifact

    wanted = list(dict.fromkeys(documents))
    unknown = sorted(set(wanted) - held_documents(graph).keys())
    if unknown:
        raise UserError(f"{graph}: this memory holds no document {unknown[0]!r}. See: csuite memory show {graph}")
    artifact = Artifact.open(graph, KIND) if dry_run else update_memory(graph, remove=wanted)
    _tell_update(artifact, {"removed": wanted}, dry_run, as_json)


def _read(paths: Sequence[Path], by_path: bool, workers: int) -> list[Part]:
    from constraintsuite.execution.engine import LocalEngine
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.ingest.collection import ingest as read_documents

    return list(read_documents(paths, by_path=by_path, engine=LocalEngine(workers), reporter=Terminal()))


def _record(graph: Path, parts: Sequence[Part], *, written: bool) -> dict[str, Any]:
    from constraintsuite.memory.ingest.collection import collection_version

    kinds = Counter(edge.kind for part in parts for edge in part.edges)
    roles = Counter(role for part in parts for unit in part.units for role in unit.roles)
    return {
        "graph": str(graph),
        "written": written,
        "version": collection_version(parts),
        "documents": len(parts),
        "units": sum(len(part.units) for part in parts),
        "edges": dict(kinds.most_common()),
        "mentions": sum(len(part.mentions) for part in parts),
        "entities": len({mention.entity for part in parts for mention in part.mentions}),
        "roles": dict(roles.most_common()),
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


def _tell_update(artifact: Artifact, done: dict[str, Any], dry_run: bool, as_json: bool) -> None:
    counts = {key: artifact.manifest.counts[key] for key in ("documents", "units", "edges", "mentions")}
    if as_json:
        record = {"graph": str(artifact.path), "written": not dry_run, **done, "counts": counts}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    for what, which in done.items():
        shown = which if isinstance(which, int) else f"{len(which)}{': ' if which else ''}{', '.join(which[:10])}"
        click.echo(f"{what}: {shown}")
    holds = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    click.echo(f"{artifact.path} {'still' if dry_run else 'now'} holds {holds}.")
