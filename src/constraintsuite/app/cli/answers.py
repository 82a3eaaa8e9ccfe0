"""`csuite answers`: write a blank sheet for people, and turn their answers into a run."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path

import click

from constraintsuite.app.cli.arguments import suite_argument
from constraintsuite.app.cli.options import json_option, runs_option
from constraintsuite.app.cli.output import emit, print_json, print_slices
from constraintsuite.app.cli.places import FILE, take_folder
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.mirror import shown


@click.command()
@suite_argument()
@click.argument("file", type=FILE, required=False)
@click.option("--sheet", type=FILE, help="Only write a blank sheet to this file (.csv, .tsv or .jsonl).")
@click.option(
    "--sample", type=click.IntRange(min=1), help="With --sheet: ask about this many examples, drawn at random."
)
@click.option("--name", help="Name of the run, which is then called human:NAME.")
@runs_option
@click.option("--allow-missing", is_flag=True, help="Leave out examples that are not answered.")
@json_option
def answers(
    suite: Path,
    file: Path | None,
    sheet: Path | None,
    sample: int | None,
    name: str | None,
    out: Path,
    allow_missing: bool,
    as_json: bool,
) -> None:
    """Turn people's answers in FILE into a run on SUITE, or write a blank sheet for them.

    FILE has the columns example, query (query, opposite, restated or its text; query if empty), choice (first, second,
    tie, satisfying, violating or a document's id) and, where several people answered, annotator.
    """
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.statistics.pairwise import METRICS
    from constraintsuite.experiments.answers.files import write_sheet
    from constraintsuite.experiments.answers.run import record_answers
    from constraintsuite.experiments.load import load_run
    from constraintsuite.experiments.run import run_folder

    if sheet is not None:
        if file is not None or name is not None:
            raise UserError("--sheet writes a blank sheet; FILE and --name record answers. Give one or the other.")
        questions = write_sheet(suite, sheet, sample=sample)
        line = f"{sheet}: {questions} questions. Write first, second or tie into the column choice."
        emit({"sheet": sheet, "questions": questions}, as_json, line)
        return
    if file is None or name is None or sample is not None:
        raise UserError(
            "Give FILE and --name NAME to record answers, or --sheet FILE (and --sample N) to write a blank sheet."
        )
    take_folder(run_folder(out, suite.resolve().name, f"human:{name}"))
    run = record_answers(suite, file, name, out, Terminal(), allow_missing=allow_missing).path
    summary = load_run(run).summary
    if as_json:
        print_json({"run": shown(run), "summary": summary})
    else:
        print_slices([summary], METRICS[summary.headline_metric])
