"""`csuite gold`: sample, sheet, import, status, agree, adjudicate, export."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.annotation_output import (
    adjudicate_batch,
    agreement_record,
    agreement_text,
    attention_lines,
    layout_option,
    progress_line,
    ruling_options,
    take_sheet,
)
from constraintsuite.app.cli.options import (
    annotator_option,
    by_option,
    json_option,
    out_file_option,
    out_option,
    seed_option,
)
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE, HERE
from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.suites.annotation.batch import AnnotationBatch

_ADVICE = "Leave them out with --without NAME."
_batch = click.argument("folder", metavar="BATCH", type=HERE)
_without = click.option(
    "--without", multiple=True, metavar="NAME", help="Leave out all answers of this person; repeatable."
)
_claim = click.option(
    "--claim",
    type=click.FloatRange(0.5, 0.999),
    default=0.9,
    show_default=True,
    help="Lower bound that you want to claim.",
)


@click.group()
def gold() -> None:
    """Let people judge examples of a suite, or proposals: blind, by two people, with a ruling where they differ."""


@gold.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@out_option(otherwise="SOURCE.gold", folder=HERE)
@click.option(
    "-n", "size", type=click.IntRange(min=1), default=200, show_default=True, help="Number of examples to draw."
)
@click.option(
    "--repeats",
    type=click.FloatRange(0, 0.4),
    default=0.1,
    show_default=True,
    help="Share of the items that each person sees twice.",
)
@seed_option
@json_option
def sample(source: Path, out: Path | None, size: int, repeats: float, seed: int, as_json: bool) -> None:
    """Draw a batch of items to judge from SOURCE: a suite's folder, or a file that `csuite propose` wrote."""
    from constraintsuite.suites.annotation.batch import write_batch
    from constraintsuite.suites.annotation.kinds.gold import read_suite
    from constraintsuite.suites.annotation.kinds.proposals import read_proposals

    kind, origin = read_suite(source, size, seed) if source.is_dir() else read_proposals(source, size)
    batch = write_batch(out or source.with_name(f"{source.name}.gold"), kind, origin, seed=seed, repeats=repeats)
    decoys = len(batch.items) - len(batch.judged)
    lines = [
        f"{batch.path}: {len(batch.judged)} items and {decoys} decoys.",
        f"Next, for each of two people: csuite gold sheet {batch.path} --annotator NAME --out NAME.csv",
    ]
    emit({"batch": batch.path, "items": len(batch.judged), "decoys": decoys}, as_json, lines)


@gold.command()
@_batch
@annotator_option
@out_file_option()
@layout_option
@json_option
def sheet(folder: Path, annotator: str, out: Path, layout: str, as_json: bool) -> None:
    """Write a sheet of what a person has not judged yet. It shows no labels, no scores and nobody else's answers."""
    from constraintsuite.suites.annotation.batch import open_batch
    from constraintsuite.suites.annotation.sheets import guide, write_sheet

    batch = open_batch(folder)
    tasks = write_sheet(batch, annotator, out, layout)
    form = "" if layout == "csv" else f" --format {layout}"
    lines = [
        f"{out}: {tasks} tasks for {annotator}.\n\n{guide(batch)}",
        f"When it is filled in: csuite gold import {folder} {out} --annotator {annotator}{form}",
    ]
    emit({"sheet": out, "tasks": tasks}, as_json, lines)


@gold.command("import")
@_batch
@click.argument("file", type=FILE)
@annotator_option
@layout_option
@json_option
def import_command(folder: Path, file: Path, annotator: str, layout: str, as_json: bool) -> None:
    """Import the answers of a sheet. If anything in it is wrong, list every fault and import nothing."""
    from constraintsuite.suites.annotation.batch import open_batch

    take_sheet(open_batch(folder), annotator, file, layout, as_json)


@gold.command()
@_batch
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Show the progress of each person, and how many items wait for a ruling."""
    from constraintsuite.suites.annotation.adjudication import disagreements
    from constraintsuite.suites.annotation.batch import open_batch
    from constraintsuite.suites.annotation.current_answers import current_answers, progress_of

    batch = open_batch(folder)
    events = batch.store.events()
    said = current_answers(events)
    people = [progress_of(batch, name, events) for name in said.annotators]
    waiting = len(disagreements(batch, said))
    lines = [f"{len(batch.judged)} items", *map(progress_line, people), f"waiting for a ruling: {waiting}"]
    emit({"people": people, "waiting": waiting}, as_json, lines)


@gold.command()
@_batch
@by_option
@_claim
@_without
@json_option
def agree(folder: Path, by: str, claim: float, without: tuple[str, ...], as_json: bool) -> None:
    """Measure how far people agree: raw agreement, Cohen's kappa, Gwet's AC1 and Krippendorff's alpha.

    It also estimates how many more items are needed for --claim. --by groups items by slice, difficulty, relation or domain.
    """
    from constraintsuite.suites.annotation.agreement import agree as measure
    from constraintsuite.suites.annotation.agreement import attention
    from constraintsuite.suites.annotation.batch import open_batch
    from constraintsuite.suites.annotation.current_answers import current_answers, leave_out

    batch = open_batch(folder)
    said = current_answers(leave_out(batch.store.events(), without))
    rows, people = measure(batch, said, by=by, claim=claim), attention(batch, said)
    emit(agreement_record(rows, people), as_json, agreement_text(rows, people, _ADVICE))


@gold.command()
@_batch
@ruling_options
def adjudicate(
    folder: Path,
    by: str | None,
    sheet: Path | None,
    filled: Path | None,
    ruling: tuple[str, str, str] | None,
    reason: str | None,
    as_json: bool,
) -> None:
    """List what people disagree on, or rule on it as a third person, with a reason."""
    from constraintsuite.suites.annotation.batch import open_batch

    adjudicate_batch(open_batch(folder), by, sheet, filled, ruling, reason, as_json)


@gold.command()
@_batch
@out_option(folder=HERE)
@click.option("--proposals", type=FILE, help="File that the batch of proposals was drawn from.")
@_claim
@_without
@json_option
def export(
    folder: Path, out: Path, proposals: Path | None, claim: float, without: tuple[str, ...], as_json: bool
) -> None:
    """Write labels and events as JSON lines.

    For examples, also write which to keep, repair and drop; for proposals, which were approved.
    """
    from constraintsuite.suites.annotation.batch import open_batch

    batch = open_batch(folder)
    if (batch.head.kind == "proposals") != (proposals is not None):
        wanted = "needs --proposals FILE" if proposals is None else "takes no --proposals"
        raise UserError(f"{folder}: a batch of {batch.head.kind} {wanted}.")
    if proposals is not None and without:
        raise UserError("--without does not apply to proposals, which one person decides. Leave it out.")
    if proposals is not None:
        _export_proposals(batch, proposals, out, as_json)
    else:
        _export_gold(batch, without, out, claim, as_json)
        if not as_json:
            _warn(batch, without)


def _warn(batch: AnnotationBatch, without: tuple[str, ...]) -> None:
    """Of people whose answers are in the labels."""
    from constraintsuite.suites.annotation.agreement import attention
    from constraintsuite.suites.annotation.current_answers import current_answers, leave_out

    people = attention(batch, current_answers(leave_out(batch.store.events(), without)))
    for line in attention_lines(people, _ADVICE):
        click.echo(line)


def _export_gold(batch: AnnotationBatch, without: tuple[str, ...], out: Path, claim: float, as_json: bool) -> None:
    from constraintsuite.core.records.figures import say
    from constraintsuite.core.store.workspace import new_folder
    from constraintsuite.suites.annotation.kinds.gold import summarise, write_verdicts
    from constraintsuite.suites.annotation.labels import write_labels

    with new_folder(out) as new:
        found = summarise(batch, write_verdicts(batch, write_labels(batch, new, without), new), claim)
    lines = [
        f"{out}: " + ", ".join(f"{count} {verdict}" for verdict, count in found.verdicts.items()),
        f"correct labels among those settled: {say(found.right, 'share')}; {found.needed}.",
    ]
    emit(found, as_json, lines)


def _export_proposals(batch: AnnotationBatch, file: Path, out: Path, as_json: bool) -> None:
    from constraintsuite.core.store.workspace import new_folder
    from constraintsuite.suites.annotation.kinds.proposals import write_approved
    from constraintsuite.suites.annotation.labels import write_labels

    approved = out / "approved.jsonl"
    with new_folder(out) as new:
        counts = write_approved(batch, file, new / approved.name)
        write_labels(batch, new)
    lines = [
        f"{approved}: " + ", ".join(f"{count} {status}" for status, count in counts.items()),
        f"Next: csuite build --corpus … --approved {approved} --out suites/ours",
    ]
    emit({"file": approved, **counts}, as_json, lines)
