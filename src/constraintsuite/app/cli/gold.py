"""`csuite gold`: sample, sheet, import, status, agree, adjudicate, export."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from constraintsuite.app.cli.annotation_output import (
    agreement_text,
    benchmark_text,
    disagreement_lines,
    evidence_text,
    gold_text,
    progress_line,
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

_APPLIES = {"--proposals": ("proposals",), "--without": ("gold", "memory"), "--require": ("memory",)}
"""Options of `export` that only some kinds of batches take."""
_folder = click.argument("folder", metavar="BATCH|PILOT", type=HERE)
_layout = click.option(
    "--format", "layout", default="csv", show_default=True, help="Layout of the sheet: csv, label-studio or argilla."
)
_without = click.option(
    "--without", multiple=True, metavar="NAME", help="Leave out all answers of this person; repeatable."
)
_claim = click.option(
    "--claim",
    type=click.FloatRange(0, 0.999),
    show_default="0.9; for the evidence of private cases 0.85",
    help="Lower bound that you want to claim.",
)


@click.group()
def gold() -> None:
    """Let people judge examples, proposals or private cases: blind, by two people, with a ruling where they differ.

    A batch is a folder of items to judge. A pilot of `csuite memory private` stands for the batch of its newest version.
    """


@gold.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@out_option(otherwise="SOURCE.gold", folder=HERE)
@click.option("-n", "size", type=click.IntRange(min=1), default=200, show_default=True, help="Number of items to draw.")
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
    from constraintsuite.suites.annotation.kinds.gold import sample_suite
    from constraintsuite.suites.annotation.kinds.proposals import proposal_items, read_proposal_file

    is_suite = source.is_dir()
    items = sample_suite(source, size, seed) if is_suite else proposal_items(read_proposal_file(source)[:size], source)
    batch = write_batch(out or source.with_name(f"{source.name}.gold"), items, seed=seed, repeats=repeats)
    decoys = len(batch.items) - len(batch.judged)
    lines = [
        f"{batch.path}: {len(batch.judged)} items to judge; decoys added: {decoys}.",
        f"Next, for each of two people: csuite gold sheet {batch.path} --annotator NAME --out NAME.csv",
    ]
    emit({"batch": batch.path, "items": len(batch.judged), "decoys": decoys}, as_json, lines)


@gold.command()
@_folder
@annotator_option
@out_file_option()
@_layout
@json_option
def sheet(folder: Path, annotator: str, out: Path, layout: str, as_json: bool) -> None:
    """Write a sheet of what a person has not judged yet. It shows no labels, no scores and nobody else's answers.

    Next to it are a guide and, for private cases, the documents to read. The first sheet of a pilot makes its batch.
    """
    from constraintsuite.core.store.files import write_text
    from constraintsuite.memory.private.cases import open_labels, reading_copy
    from constraintsuite.suites.annotation.formats.base import companion_file
    from constraintsuite.suites.annotation.sheets import guide, write_sheet

    batch, version = open_labels(folder, draw=True)
    texts = {companion_file(out, ".guide.md"): guide(batch)}
    if version is not None:
        texts[companion_file(out, ".documents.md")] = reading_copy(version, batch.items.values())
    tasks = write_sheet(batch, annotator, out, layout)
    for file, text in texts.items():
        write_text(file, text)
    form = "" if layout == "csv" else f" --format {layout}"
    lines = [
        f"{out}: {tasks} tasks for {annotator}. To read: {', '.join(map(str, texts))}",
        f"When it is filled in: csuite gold import {folder} {out} --annotator {annotator}{form}",
    ]
    emit({"sheet": out, "tasks": tasks, "to_read": list(texts)}, as_json, lines)


@gold.command("import")
@_folder
@click.argument("file", type=FILE)
@annotator_option
@_layout
@json_option
def import_command(folder: Path, file: Path, annotator: str, layout: str, as_json: bool) -> None:
    """Import the answers of a sheet. If anything in it is wrong, list every fault and import nothing."""
    from constraintsuite.memory.private.cases import open_labels
    from constraintsuite.suites.annotation.current_answers import progress_of
    from constraintsuite.suites.annotation.sheets import read_sheet

    batch, _ = open_labels(folder)
    drafts = read_sheet(batch, annotator, file, layout)
    batch.store.append(drafts, datetime.now(UTC))
    progress = progress_of(batch, annotator, batch.store.events())
    record = {"answers": len(drafts), "done": progress.done, "total": progress.total}
    emit(record, as_json, f"{len(drafts)} new or changed answers saved. {progress_line(progress)}.")


@gold.command()
@_folder
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Show the progress of each person, and how many items wait for a ruling."""
    from constraintsuite.memory.private.cases import open_labels
    from constraintsuite.suites.annotation.adjudication import open_disagreements
    from constraintsuite.suites.annotation.current_answers import current_answers, progress_of

    batch, _ = open_labels(folder)
    events = batch.store.events()
    current = current_answers(events)
    people = [progress_of(batch, name, events) for name in current.annotators]
    waiting = len(open_disagreements(batch, current))
    lines = [f"{len(batch.judged)} items", *map(progress_line, people), f"waiting for a ruling: {waiting}"]
    emit({"people": people, "waiting": waiting}, as_json, lines)


@gold.command()
@_folder
@by_option
@_claim
@_without
@json_option
def agree(folder: Path, by: str, claim: float | None, without: tuple[str, ...], as_json: bool) -> None:
    """Measure how far people agree: raw agreement, Cohen's kappa, Gwet's AC1 and Krippendorff's alpha.

    It also estimates how many more items are needed for --claim. --by groups items by slice, difficulty, relation or domain;
    private cases by family or document. For private cases, the exit code is 1 if the agreement on evidence is below --claim.
    """
    from constraintsuite.memory.private.acceptance import evidence_agreement
    from constraintsuite.memory.private.cases import open_labels
    from constraintsuite.suites.annotation.agreement import find_concerns, measure_agreement, measure_attention
    from constraintsuite.suites.annotation.current_answers import current_answers, leave_out

    batch, version = open_labels(folder)
    current = current_answers(leave_out(batch.store.events(), without))
    claims = {} if claim is None else {"claim": claim}
    rows, people = measure_agreement(batch, current, by=by, **claims), measure_attention(batch, current)
    evidence = None if version is None else evidence_agreement(batch, current, **claims)
    record = {"questions": rows, "annotators": people, "concerns": find_concerns(people)}
    record |= {} if evidence is None else {"evidence": evidence, "passed": evidence.passed}
    emit(record, as_json, [agreement_text(rows, people), *([evidence_text(evidence)] if evidence else [])])
    if evidence is not None and not evidence.passed:
        raise click.exceptions.Exit(1)


@gold.command()
@_folder
@click.option("--by", metavar="NAME", help="Name of the adjudicator, who must not have judged the item.")
@click.option("--sheet", type=FILE, help="Write a sheet of all disagreements that wait for a ruling to this file.")
@click.option("--from", "filled", type=FILE, help="Read the rulings from such a sheet.")
@click.option("--rule", "ruling", nargs=3, metavar="ITEM QUESTION VALUE", help="Rule on one item, with --reason.")
@click.option("--reason", help="Reason of the ruling.")
@json_option
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
    from constraintsuite.memory.private.cases import open_labels
    from constraintsuite.suites.annotation import adjudication
    from constraintsuite.suites.annotation.current_answers import current_answers

    batch, _ = open_labels(folder)
    current = current_answers(batch.store.events())
    actions = [action for action in (sheet, filled, ruling) if action is not None]
    if not actions:
        found = adjudication.open_disagreements(batch, current)
        emit(found, as_json, disagreement_lines(found))
        return
    if len(actions) > 1 or by is None:
        raise UserError(
            "Give --by NAME, and one of --sheet FILE, --from FILE, or --rule ITEM QUESTION VALUE with --reason."
        )
    if sheet is not None:
        waiting = adjudication.write_disagreements(batch, by, sheet)
        text = f"{sheet}: {waiting} disagreements. Fill in the columns ruling and reason, then pass it with --from."
        emit({"sheet": sheet, "waiting": waiting}, as_json, text)
        return
    drafts = adjudication.read_rulings(batch, by, filled) if filled is not None else []
    drafts += [adjudication.rule(batch, current, by, ruling, reason or "")] if ruling is not None else []
    batch.store.append(drafts, datetime.now(UTC))
    emit({"rulings": len(drafts)}, as_json, f"Rulings by {by} saved: {len(drafts)}.")


@gold.command()
@_folder
@out_option(folder=HERE)
@click.option("--proposals", type=FILE, help="File that the batch of proposals was drawn from.")
@_claim
@_without
@click.option("--require", is_flag=True, help="Private cases: write nothing, and exit with 1, unless accepted.")
@json_option
def export(
    folder: Path,
    out: Path,
    proposals: Path | None,
    claim: float | None,
    without: tuple[str, ...],
    require: bool,
    as_json: bool,
) -> None:
    """Write labels and events as JSON lines, and what the kind of batch is for.

    For examples, this is which to keep, repair and drop; for proposals, which were approved; for private cases, a benchmark of
    those that were approved, and which criteria of acceptance it meets; for written queries, a test set like NevIR.
    """
    from constraintsuite.core.store.workspace import new_folder
    from constraintsuite.memory.private import acceptance
    from constraintsuite.memory.private.cases import open_labels
    from constraintsuite.suites.annotation.agreement import measure_attention
    from constraintsuite.suites.annotation.current_answers import current_answers, leave_out
    from constraintsuite.suites.annotation.kinds.gold import summarise, write_verdicts
    from constraintsuite.suites.annotation.kinds.proposals import write_approved
    from constraintsuite.suites.annotation.kinds.written_queries import write_nevir
    from constraintsuite.suites.annotation.labels import write_labels

    batch, version = open_labels(folder)
    kind = batch.head.kind
    given = {"--proposals": proposals, "--without": without, "--require": require}
    wrong = next((option for option, value in given.items() if value and kind not in _APPLIES[option]), None)
    if wrong is not None:
        raise UserError(f"{folder}: a batch of {kind} takes no {wrong}.")
    claims = {} if claim is None else {"claim": claim}
    if version is not None:
        result = acceptance.export(batch, version, out, require=require, without=without, **claims)
        refused = require and not result.accepted
        record = {**vars(result), "accepted": result.accepted, "written": not refused}
        emit(record, as_json, benchmark_text(result, None if refused else out))
        if refused:
            raise click.exceptions.Exit(1)
    elif kind == "proposals":
        if proposals is None:
            raise UserError(f"{folder}: a batch of {kind} needs --proposals FILE.")
        approved = out / "approved.jsonl"
        with new_folder(out) as new:
            counts = write_approved(batch, proposals, new / approved.name)
            write_labels(batch, new)
        lines = [
            f"{approved}: " + ", ".join(f"{count} {status}" for status, count in counts.items()),
            f"Next: csuite build --corpus … --approved {approved} --out suites/ours",
        ]
        emit({"file": approved, **counts}, as_json, lines)
    elif kind == "writing":
        counts = write_nevir(batch, out)
        rows = ", ".join(f"{split} {count}" for split, count in counts.items())
        emit({"folder": out, "rows": counts}, as_json, f"{out}: rows of {rows}. `csuite import nevir` reads them.")
    else:
        with new_folder(out) as new:
            judged = write_verdicts(batch, new, without)
        people = measure_attention(batch, current_answers(leave_out(batch.store.events(), without)))
        summary = summarise(batch, judged, **claims)
        emit(summary, as_json, gold_text(summary, people, out))
