"""What the commands for gold and for private cases share: agreement as a table, and rulings."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.annotate.agreeing import Attention, QuestionAgreement
    from constraintsuite.annotate.batch import AnnotationBatch
    from constraintsuite.annotate.standing import AnnotatorProgress
    from constraintsuite.records.figures import CellValue, ColumnKind
    from constraintsuite.records.scores import Interval

T = TypeVar("T")
file_type = click.Path(path_type=Path, dir_okay=False)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
layout_option = click.option(
    "--format",
    "layout",
    default="csv",
    show_default=True,
    help="csv, label-studio or argilla: who fills it in, and with what.",
)
SHOWN = 20


def ruling_options(command: Callable[..., T]) -> Callable[..., T]:
    """The options of both `adjudicate` commands."""
    for decorate in reversed(
        (
            click.option("--by", metavar="NAME", help="Who rules: somebody who has not judged the item."),
            click.option("--sheet", type=file_type, help="Write a sheet of all that waits for a ruling to this file."),
            click.option("--from", "filled", type=file_type, help="Take the rulings of such a sheet."),
            click.option(
                "--rule", "ruling", nargs=3, metavar="ITEM QUESTION VALUE", help="Rule on one, with --reason."
            ),
            click.option("--reason", help="Why."),
            json_option,
        )
    ):
        command = decorate(command)
    return command


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
    from constraintsuite.annotate.adjudication import read_rulings, rule, write_disagreements
    from constraintsuite.annotate.standing import standing

    chosen = [sheet is not None, filled is not None, ruling is not None]
    if not any(chosen):
        _list_disagreements(batch, as_json)
        return
    if sum(chosen) > 1 or by is None:
        raise UserError(
            "Give --by NAME, and one of --sheet FILE, --from FILE, or --rule ITEM QUESTION VALUE with --reason."
        )
    if sheet is not None:
        lines = write_disagreements(batch, by, sheet)
        told = f"{sheet}: {lines} to rule on. Fill in the columns ruling and reason, then give it with --from."
        click.echo(json.dumps({"sheet": str(sheet), "waiting": lines}) if as_json else told)
        return
    if filled is not None:
        drafts = read_rulings(batch, by, filled)
    else:
        assert ruling is not None
        drafts = [rule(batch, standing(batch.store.events()), by, ruling, reason or "")]
    batch.store.append(drafts, datetime.now(UTC))
    click.echo(json.dumps({"rulings": len(drafts)}) if as_json else f"Rulings of {by} that are kept: {len(drafts)}.")


def _list_disagreements(batch: AnnotationBatch, as_json: bool) -> None:
    from constraintsuite.annotate.adjudication import Disagreement, disagreements
    from constraintsuite.annotate.standing import standing
    from constraintsuite.annotate.values import spell_value
    from constraintsuite.store.jsonl import adapter

    found = disagreements(batch, standing(batch.store.events()))
    if as_json:
        click.echo(adapter(list[Disagreement]).dump_json(found, indent=2).decode())
        return
    for one in found[:SHOWN]:
        said = ", ".join(f"{name}: {spell_value(value)}" for name, value in one.answers.items())
        click.echo(f"{one.item}  {one.question}  {said}")
    more = f" (the first {SHOWN} are shown; --json lists all)" if len(found) > SHOWN else ""
    click.echo(f"Waiting for a ruling: {len(found)}{more}.")


def agreement_text(rows: list[QuestionAgreement], people: list[Attention], advice: str = "") -> str:
    """Questions, then annotators, and whom not to rely on; `advice` says what else can be done about them."""
    from constraintsuite.records.tables import Column, Table
    from constraintsuite.reports.agreement import attention_table

    unasked = sorted({row.question for row in rows if row.group == "all" and not row.figures.raw.n})
    rows = [row for row in rows if row.figures.raw.n]
    several = {row.group for row in rows} != {"all"}
    titles = ("question", "raw, %", "kappa", "AC1", "alpha")
    questions = Table(
        "agreement",
        "Agreement, with 95 % intervals",
        (*map(Column, titles), Column("items", "count"), Column("differ", "count")),
        tuple(_agreement_row(row, several) for row in rows),
    )
    scales = sorted({f"{row.question}: {row.scale}" for row in rows})
    needed = [f"{row.question}: {row.needed}." for row in rows if row.group == "all"]
    needed += [f"Not answered by two people: {', '.join(unasked)}."] if unasked else []
    return "\n".join(
        [
            *(
                str(questions),
                f"\nDistances of alpha: {'; '.join(scales)}.",
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
    from constraintsuite.annotate.attention import ADVICE, RULE, concerns, too_few

    found = [str(one) for one in concerns(people)]
    told = [*found, f"{RULE} {ADVICE} {advice}".rstrip()] if found else []
    return ["", *told, *filter(None, [too_few(people)])] if told or too_few(people) else []


def _agreement_row(row: QuestionAgreement, several: bool) -> tuple[CellValue, ...]:
    """All figures of a row are of the same items, so their number has a column of its own."""
    found = row.figures
    figures = (
        _bounded(found.raw, "share"),
        *(_bounded(each, "number") for each in (found.kappa, found.ac1, found.alpha)),
    )
    return (_named(row, several), *figures, found.raw.n, row.differing)


def _bounded(figure: Interval, kind: ColumnKind) -> str:
    from constraintsuite.records.figures import show

    value, bounds, _ = show(figure, kind)
    return f"{value} [{bounds}]" if bounds else value


def _named(row: QuestionAgreement, several: bool) -> str:
    return f"{row.question}, {row.group}" if several else row.question


def agreement_json(rows: list[QuestionAgreement], people: list[Attention]) -> dict[str, Any]:
    """The same as data."""
    from constraintsuite.annotate.agreeing import Attention, QuestionAgreement
    from constraintsuite.annotate.attention import concerns
    from constraintsuite.store.jsonl import adapter

    return {
        "questions": adapter(list[QuestionAgreement]).dump_python(rows, mode="json"),
        "annotators": adapter(list[Attention]).dump_python(people, mode="json"),
        "concerns": [asdict(one) for one in concerns(people)],
    }


def progress_line(progress: AnnotatorProgress) -> str:
    """How far one person is, in words."""
    left = "" if not progress.seconds_left else f", about {progress.seconds_left / 60:.0f} minutes left"
    return f"{progress.annotator}: {progress.done} of {progress.total} done{left}"


def take_sheet(batch: AnnotationBatch, annotator: str, file: Path, layout: str, as_json: bool) -> None:
    """Keep the answers of a sheet, and say how far its annotator is."""
    from constraintsuite.annotate.sheets import read_sheet
    from constraintsuite.annotate.standing import progress_of

    drafts = read_sheet(batch, annotator, file, layout)
    batch.store.append(drafts, datetime.now(UTC))
    progress = progress_of(batch, annotator, batch.store.events())
    if as_json:
        click.echo(json.dumps({"answers": len(drafts), "done": progress.done, "total": progress.total}))
    else:
        click.echo(f"{len(drafts)} new or changed answers are kept. {progress_line(progress)}.")
