"""`csuite bundle`: look at bundles, check them, and carry them to and from other forms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import get_args

import click

from constraintsuite.errors import UserError
from constraintsuite.models.dense import Similarity
from constraintsuite.vectors import LAYOUTS
from constraintsuite.vectors.bundle import TRUTH, VECTORS, Bundle
from constraintsuite.vectors.diff import Comparison, Difference, diff_bundles
from constraintsuite.vectors.importing import import_folder
from constraintsuite.vectors.verify import verify_bundle

SHOWN_FAULTS = 50
_folder = click.argument("folder", metavar="BUNDLE", type=click.Path(path_type=Path))
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_out = click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to create.")


@click.group()
def bundle() -> None:
    """Look at a bundle of texts, vectors and truths."""


@bundle.command()
@_folder
@_json
def show(folder: Path, as_json: bool) -> None:
    """Say what a bundle holds, and where it comes from."""
    opened = Bundle.open(folder)
    if as_json:
        parts = {
            part.path.relative_to(folder).as_posix(): json.loads(part.manifest.model_dump_json())
            for name in (VECTORS, TRUTH)
            for part in opened.parts(name)
        }
        texts = json.loads(opened.texts.manifest.model_dump_json())
        click.echo(json.dumps({"bundle_id": opened.id, "texts": texts, "parts": parts}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(opened)))


@bundle.command()
@_folder
@_json
def verify(folder: Path, as_json: bool) -> None:
    """Hash every file again, then check ids, vectors and truths; exit code 1 if something is wrong."""
    faults = verify_bundle(Bundle.open(folder))
    if as_json:
        click.echo(json.dumps({"bundle": str(folder), "faults": faults}, indent=2, ensure_ascii=False))
    else:
        more = [f"and {len(faults) - SHOWN_FAULTS:,} more; --json lists all"] if len(faults) > SHOWN_FAULTS else []
        click.echo("\n".join([*faults[:SHOWN_FAULTS], *more]) if faults else f"{folder}: all checks passed.")
    if faults:
        raise click.exceptions.Exit(1)


@bundle.command()
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
@_json
def diff(left: Path, right: Path, as_json: bool) -> None:
    """Say what two bundles share; exit code 1 if they differ."""
    found = diff_bundles(Bundle.open(left), Bundle.open(right))
    click.echo(json.dumps(asdict(found), indent=2) if as_json else "\n".join(_difference(found)))
    if not found.identical:
        raise click.exceptions.Exit(1)


@bundle.command()
@_folder
@click.option("--layout", required=True, type=click.Choice(LAYOUTS.names()), help="jsonl is the form of BEIR.")
@click.option("--encoder", help="Whose vectors, where there are several.")
@_out
@_json
def export(folder: Path, layout: str, encoder: str | None, out: Path, as_json: bool) -> None:
    """Write a bundle in another form."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: this is not an empty folder. Choose another --out.")
    notes = LAYOUTS.load(layout)(Bundle.open(folder), out, encoder)
    if as_json:
        click.echo(json.dumps({"folder": str(out), "layout": layout, "notes": notes}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join([f"Written: {out}", *(f"Note: {note}" for note in notes)]))


@bundle.command("import")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@_out
@click.option(
    "--metric",
    type=click.Choice(get_args(Similarity)),
    default="cosine",
    show_default=True,
    help="How vectors compare.",
)
@click.option("--force", is_flag=True, help="Replace another bundle.")
@_json
def import_command(folder: Path, out: Path, metric: Similarity, force: bool, as_json: bool) -> None:
    """Read the seven files of the MS MARCO subset methodology, repair their padded truth, and say what was repaired."""
    texts, repairs = import_folder(folder, out, metric, force=force)
    if as_json:
        click.echo(json.dumps({"bundle": str(out), "counts": texts.manifest.counts, "repairs": repairs}, indent=2))
    else:
        click.echo("\n".join([f"Bundle: {out}", *(f"Repaired: {line}" for line in repairs)]))


def _lines(opened: Bundle) -> Iterator[str]:
    manifest = opened.texts.manifest
    source = manifest.settings["source"]
    yield f"bundle     {opened.id}"
    yield f"source     {source['name']} ({source['format']}), licence {source.get('licence') or 'not known'}"
    if "mode" in manifest.settings:
        yield f"subset     {manifest.settings['mode']}, seed {manifest.settings['seed']}"
    yield from (f"{count:>10,} {name.replace('_', ' ')}" for name, count in manifest.counts.items())
    for part in opened.parts(VECTORS):
        yield f"vectors    {part.path.name}  {part.manifest.name}"
    for part in opened.parts(TRUTH):
        yield f"truth      {part.path.name}"
    if manifest.counts.get("population", 0) > manifest.counts["documents"]:
        yield "A subset makes retrieval look easier: compare rel.* only between results on this very bundle."


def _difference(found: Difference) -> Iterator[str]:
    yield "identical" if found.identical else "              left only  right only       equal     changed"
    if not found.identical:
        for name in ("documents", "queries", "judgments", "vectors", "truths"):
            part: Comparison = getattr(found, name)
            yield f"{name:<12}{part.only_left:>11,} {part.only_right:>11,} {part.equal:>11,} {part.changed:>11,}"
