"""`csuite bundle`: ground truths of a bundle, comparison and other formats; and what `csuite show` prints of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from constraintsuite.app.cli.arguments import bundle_argument
from constraintsuite.app.cli.corpus import source_options, source_settings
from constraintsuite.app.cli.options import (
    bundle_encoder_option,
    dry_run_option,
    engine_options,
    force_option,
    json_option,
    out_option,
    similarity_option,
)
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import FolderParameter
from constraintsuite.app.cli.show import FolderView, refuse_part
from constraintsuite.core.errors import UserError, first_of
from constraintsuite.core.execution.engine import Engine
from constraintsuite.core.execution.progress import Terminal
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.mirror import shown
from constraintsuite.core.store.workspace import new_folder
from constraintsuite.models.backends import Similarity
from constraintsuite.vectors import LAYOUTS, files
from constraintsuite.vectors.bundle import Bundle, reading, zero_vectors
from constraintsuite.vectors.msmarco_import import import_folder, read_import
from constraintsuite.vectors.neighbours import make_neighbours
from constraintsuite.vectors.relevance import make_relevance
from constraintsuite.vectors.verify import BundleDifference, OverlapCounts, diff_bundles

SHOWN_FILES = 5
_folder = click.argument("folder", metavar="BUNDLE", type=FolderParameter())


@click.group()
def bundle() -> None:
    """Make ground truths for bundles, compare and convert them."""


@bundle.command()
@bundle_argument
@click.option("--knn", type=click.IntRange(1, 100_000), help="Also find this many exact neighbours of each query.")
@bundle_encoder_option
@similarity_option()
@json_option
@engine_options(models=False)
def truth(
    folder: Path, knn: int | None, encoder: str | None, metric: Similarity | None, as_json: bool, engine: Engine
) -> None:
    """Write the ground truth of BUNDLE: relevance (rel.*), and with --knn exact neighbours (ann.*)."""
    with reading(folder) as opened:
        made = [make_relevance(folder)]
        if knn is not None:
            made.append(make_neighbours(folder, knn, Terminal(), encoder=encoder, metric=metric, engine=engine))
        name = opened.id
    truths = [{"truth": shown(a.path), "content": a.manifest.content, "counts": a.manifest.counts} for a in made]
    emit({"bundle_id": name, "truths": truths}, as_json, [*map(_truth_line, made), f"Bundle: {name}"])


def _truth_line(artifact: Artifact) -> str:
    counts = artifact.manifest.counts
    if "neighbours" not in counts:
        missing = counts["judgments"] - counts["in_subset"]
        return (
            f"{shown(artifact.path)}: {counts['judgments']:,} judgments of {counts['queries']:,} queries, {missing:,} of "
            "them for documents outside the subset"
        )
    tied = counts["queries_tied_beyond_k"]
    ties = f"for {tied:,} queries, more documents are as near as the last" if tied else "none of them tied with others"
    return f"{shown(artifact.path)}: {counts['neighbours']:,} neighbours of {counts['queries']:,} queries; {ties}"


def view_bundle(folder: Path, part: str | None) -> FolderView:
    """The counts, parts and source of a bundle, for `csuite show`."""
    refuse_part(folder, "bundle", part)
    with reading(folder) as opened:
        opened.refuse_changed_parts()
        return FolderView(_record(opened), list(_lines(opened)))


def _record(opened: Bundle) -> dict[str, object]:
    parts = {part.path.relative_to(opened.path).as_posix(): part.manifest for part in opened.all_parts()}
    return {"bundle_id": opened.id, "texts": opened.texts.manifest, "parts": parts}


@bundle.command()
@click.argument("left", type=FolderParameter())
@click.argument("right", type=FolderParameter())
@json_option
def diff(left: Path, right: Path, as_json: bool) -> None:
    """Compare two bundles: what they share, and what differs. Exit code 1 if they differ."""
    with reading(left) as one, reading(right) as other:
        for opened in (one, other):
            opened.refuse_changed_parts()
        found = diff_bundles(one, other)
    emit(found, as_json, _difference(found))
    if not found.identical:
        raise click.exceptions.Exit(1)


@bundle.command()
@_folder
@click.option(
    "--layout",
    required=True,
    type=click.Choice(LAYOUTS.names()),
    help="Format of the files; jsonl is the format of BEIR.",
)
@bundle_encoder_option
@out_option()
@json_option
def export(folder: Path, layout: str, encoder: str | None, out: Path, as_json: bool) -> None:
    """Write a bundle in another format."""
    with reading(folder) as opened, new_folder(out) as new:
        notes = LAYOUTS.load(layout)(opened, new, encoder)
    lines = [f"Written: {shown(out)}", *(f"Note: {note}" for note in notes)]
    emit({"folder": shown(out), "layout": layout, "notes": notes}, as_json, lines)


@bundle.command("import")
@click.argument("folder", type=FolderParameter(exists=True, file_okay=False))
@out_option()
@similarity_option("cosine")
@click.option("--texts", help="Source of the texts, joined by id: a file, a folder, irds:ID or hf:OWNER/NAME.")
@click.option("--allow-missing-texts", is_flag=True, help="Count vectors that have no text, instead of refusing them.")
@force_option
@dry_run_option
@json_option
@source_options
def import_command(  # noqa: PLR0913, PLR0917 - one parameter per option
    folder: Path,
    out: Path,
    metric: Similarity,
    texts: str | None,
    options: Mapping[str, object],
    allow_missing_texts: bool,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Read the seven files of the MS MARCO subset methodology, repair their padded truth, and list the repairs.

    --texts joins the texts and judgments of a source to the vectors by id.
    """
    given = [name for name in ("queries", "qrels") if options[name]]
    if texts is None and (given or allow_missing_texts):
        name = given[0] if given else "allow-missing-texts"
        raise UserError(f"--{name} needs --texts, the source of the texts. Add --texts, or leave --{name} out.")
    source = None if texts is None else source_settings(texts, options)
    if dry_run:
        content = read_import(folder, source, Terminal(), allow_missing=allow_missing_texts)
        counts, repairs = content.counts, content.repairs
    else:
        made = import_folder(
            folder, out, metric, texts=source, allow_missing=allow_missing_texts, force=force, reporter=Terminal()
        )
        counts, repairs = made.texts.manifest.counts, made.repairs
    first, repaired = (
        (f"Would write to {shown(out)}:", "To repair") if dry_run else (f"Bundle: {shown(out)}", "Repaired")
    )
    lines = [first, *_counted(counts), *(f"{repaired}: {line}" for line in repairs)]
    emit({"bundle": shown(out), "counts": counts, "repairs": repairs}, as_json, lines)


def _counted(counts: Mapping[str, int]) -> list[str]:
    return count_lines({name.replace("_", " "): count for name, count in counts.items()})


def _lines(opened: Bundle) -> Iterator[str]:
    from constraintsuite.app.views.bundles import SUBSET, is_subset  # noqa: PLC0415 - with it come the pages

    manifest = opened.texts.manifest
    source = manifest.settings["source"]
    yield f"bundle     {opened.id}"
    yield f"source     {source['name']} ({source['format']}), licence {source.get('licence') or 'not known'}"
    if "mode" in manifest.settings:
        yield f"subset     {manifest.settings['mode']}, seed {manifest.settings['seed']}"
    yield from _counted(manifest.counts)
    for part in opened.parts(files.VECTORS):
        yield f"vectors    {part.path.name}  {part.manifest.name}"
    for part in opened.parts(files.TRUTH):
        yield f"truth      {part.path.name}"
    yield from zero_vectors(opened)
    if is_subset(opened):
        yield SUBSET


def _difference(found: BundleDifference) -> Iterator[str]:
    yield "identical" if found.identical else "              left only  right only       equal     changed"
    if not found.identical:
        for name in ("documents", "queries", "judgments", "vectors", "truths"):
            part: OverlapCounts = getattr(found, name)
            yield f"{name:<12}{part.only_left:>11,} {part.only_right:>11,} {part.equal:>11,} {part.changed:>11,}"
        if found.files:
            yield f"Files of the texts that differ: {', '.join(first_of(found.files, SHOWN_FILES))}"
