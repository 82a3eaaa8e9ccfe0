"""What the commands for gold and for private cases share: agreement as a table, and rulings."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.options import combine, json_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.suites.annotation.adjudication import Disagreement
    from constraintsuite.suites.annotation.agreement import Attention, QuestionAgreement
    from constraintsuite.suites.annotation.batch import AnnotationBatch
    from constraintsuite.suites.annotation.current_answers import AnnotatorProgress

layout_option = click.option(
    "--format",
    "layout",
    default="csv",
    show_default=True,
    help="Layout of the sheet: csv, label-studio or argilla.",
)
SHOWN = 20


ruling_options = combine(
    click.option("--by", metavar="NAME", help="Name of the adjudicator, who must not have judged the item."),
    click.option("--sheet", type=FILE, help="Write a sheet of all disagreements that wait for a ruling to this file."),
    click.option("--from", "filled", type=FILE, help="Read the rulings from such a sheet."),
    click.option("--rule", "ruling", nargs=3, metavar="ITEM QUESTION VALUE", help="Rule on one item, with --reason."),
    click.option("--reason", help="Why."),
    json_option,
)


def adjudicate_batch(
    batch: AnnotationBatch,
    by: str | None,
    sheet: Path | None,
    filled: Path | None,
    ruling: tuple[str, str, str] | None,
    reason: str | None,
    as_json: bool,
) -> None:
    """List what waits for a ruling, write a sheet of it, or take rulings."""
    from constraintsuite.suites.annotation.adjudication import disagreements, read_rulings, rule, write_disagreements
    from constraintsuite.suites.annotation.current_answers import current_answers

    chosen = [sheet is not None, filled is not None, ruling is not None]
    if not any(chosen):
        found = disagreements(batch, current_answers(batch.store.events()))
        emit(found, as_json, _disagreement_lines(found))
        return
    if sum(chosen) > 1 or by is None:
        raise UserError(
            "Give --by NAME, and one of --sheet FILE, --from FILE, or --rule ITEM QUESTION VALUE with --reason."
        )
    if sheet is not None:
        lines = write_disagreements(batch, by, sheet)
        told = f"{sheet}: {lines} disagreements. Fill in the columns ruling and reason, then pass it with --from."
        emit({"sheet": sheet, "waiting": lines}, as_json, told)
        return
    if filled is not None:
        drafts = read_rulings(batch, by, filled)
    else:
        assert ruling is not None
        drafts = [rule(batch, current_answers(batch.store.events()), by, ruling, reason or "")]
    batch.store.append(drafts, datetime.now(UTC))
    emit({"rulings": len(drafts)}, as_json, f"Rulings by {by} saved: {len(drafts)}.")


def _disagreement_lines(found: list[Disagreement]) -> Iterator[str]:
    from constraintsuite.suites.annotation.records import spell_value

    for one in found[:SHOWN]:
        said = ", ".join(f"{name}: {spell_value(value)}" for name, value in one.answers.items())
        yield f"{one.item}  {one.question}  {said}"
    more = f" (the first {SHOWN} are shown; --json lists all)" if len(found) > SHOWN else ""
    yield f"Waiting for a ruling: {len(found)}{more}."


def agreement_text(rows: list[QuestionAgreement], people: list[Attention], advice: str = "") -> str:
    """Questions, then annotators, and whom not to rely on; `advice` says what else can be done about them."""
    from constraintsuite.app.pages.agreement import agreement_table, attention_table

    unasked = sorted({row.question for row in rows if row.group == "all" and not row.figures.raw.n})
    rows = [row for row in rows if row.figures.raw.n]
    scales = sorted({f"{row.question}: {row.scale}" for row in rows})
    needed = [f"{row.question}: {row.needed}." for row in rows if row.group == "all"]
    needed += [f"Not answered by two people: {', '.join(unasked)}."] if unasked else []
    return "\n".join(
        [
            *(
                str(agreement_table(rows)),
                f"\nDistance that alpha uses: {'; '.join(scales)}.",
                "",
                *needed,
                "",
                str(attention_table(people)),
            ),
            *attention_lines(people, advice),
        ]
    )


def attention_lines(people: list[Attention], advice: str = "") -> list[str]:
    """In words: whose answers not to rely on, by which rule, and what cannot be known."""
    from constraintsuite.suites.annotation.agreement import ADVICE, RULE, concerns, too_few

    found = [str(one) for one in concerns(people)]
    told = [*found, f"{RULE} {ADVICE} {advice}".rstrip()] if found else []
    return ["", *told, *filter(None, [too_few(people)])] if told or too_few(people) else []


def agreement_record(rows: list[QuestionAgreement], people: list[Attention]) -> dict[str, object]:
    """The same as data."""
    from constraintsuite.suites.annotation.agreement import concerns

    return {"questions": rows, "annotators": people, "concerns": concerns(people)}


def progress_line(progress: AnnotatorProgress) -> str:
    """How far one person is, in words."""
    left = "" if not progress.seconds_left else f", about {progress.seconds_left / 60:.0f} minutes left"
    return f"{progress.annotator}: {progress.done} of {progress.total} done{left}"


def take_sheet(batch: AnnotationBatch, annotator: str, file: Path, layout: str, as_json: bool) -> None:
    """Keep the answers of a sheet, and say how far its annotator is."""
    from constraintsuite.suites.annotation.current_answers import progress_of
    from constraintsuite.suites.annotation.sheets import read_sheet

    drafts = read_sheet(batch, annotator, file, layout)
    batch.store.append(drafts, datetime.now(UTC))
    progress = progress_of(batch, annotator, batch.store.events())
    record = {"answers": len(drafts), "done": progress.done, "total": progress.total}
    emit(record, as_json, f"{len(drafts)} new or changed answers saved. {progress_line(progress)}.")
