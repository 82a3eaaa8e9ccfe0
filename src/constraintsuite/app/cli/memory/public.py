"""`csuite memory eval`: public benchmarks, scored as their authors do."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from constraintsuite.app.cli.memory.resources import emit_forecast, load_encoder, named_modes, score_bench, vector_cache
from constraintsuite.app.cli.options import (
    budgets_option,
    combine,
    dry_run_option,
    encoder_option,
    json_option,
    limit_option,
    modes_option,
    out_option,
    page_option,
    repeats_option,
)
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError, first_of
from constraintsuite.memory.public import BENCHMARKS

if TYPE_CHECKING:
    from constraintsuite.memory.public.base import BenchmarkFile, Granularity
    from constraintsuite.memory.public.run import PublicRun


_NOTES = 5
_OWN = combine(
    click.option(
        "--pooled", is_flag=True, help="Search the documents of all questions together; not for hover and locomo."
    ),
    click.option(
        "--granularity", type=click.Choice(["session", "turn"]), help="Unit of a dialogue, for longmemeval and locomo."
    ),
    click.option("--corpus", type=FILE, help="For hover, whose file holds no text: articles as JSON lines."),
)
_SCORED = combine(
    click.option(
        "--most-tokens",
        type=click.IntRange(min=1),
        help="Cut each ranking after this many words and punctuation marks.",
    ),
    click.option(
        "--links",
        type=click.Choice(["names", "titles"]),
        default="names",
        show_default=True,
        help="Link documents by all names in them, or by titles only.",
    ),
    click.option("--answers", type=FILE, help="JSON file of answers by question id, which are also scored."),
)
_WHERE = combine(
    repeats_option, out_option(otherwise="runs/memory-BENCHMARK"), page_option, dry_run_option, json_option
)


@click.command("eval")
@click.argument("benchmark", type=click.Choice(BENCHMARKS.names()))
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@combine(modes_option(), budgets_option, encoder_option, limit_option("QUESTIONS"), _OWN, _SCORED, _WHERE)
def evaluate(  # noqa: PLR0913, PLR0917 - one parameter per option
    benchmark: str,
    file: Path,
    modes: tuple[str, ...],
    budgets: tuple[int, ...],
    encoder: str | None,
    limit: int | None,
    pooled: bool,
    granularity: Granularity | None,
    corpus: Path | None,
    most_tokens: int | None,
    links: Literal["names", "titles"],
    answers: Path | None,
    repeats: int,
    out: Path | None,
    page: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run FILE of a public BENCHMARK: find the evidence for each question, and score it as the authors do.

    \b
    hotpotqa      supporting facts among the sentences of ten paragraphs
    musique       paragraphs that a question of two to four hops needs
    2wiki         2WikiMultiHopQA: supporting facts, with reasoning types
    hover         sentences that decide a claim, searched in --corpus
    longmemeval   sessions or turns of long ago that answer a question
    locomo        turns or sessions of very long conversations

    Every mode returns at most --budget units for each question. `csuite fetch` downloads the files.
    """
    from constraintsuite.app.cli.memory.benchmarks import finish_run
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.memory.public.base import ReadOptions
    from constraintsuite.memory.public.run import PublicRun
    from constraintsuite.memory.runs.benchmarks import run_benchmark

    chosen = named_modes(modes, encoder=encoder is not None)
    given = None if answers is None else _answers(answers)
    asked = PublicRun(
        chosen,
        budgets,
        most_tokens,
        links,
        given,
        repeats,
        cache=vector_cache(),
        bench=score_bench(),
        reporter=Terminal(),
    )
    reading = BENCHMARKS.load(benchmark)(file, ReadOptions(limit, pooled, granularity, corpus))
    if not as_json:
        _print_notes(reading, given or {})
        _print_left_out(modes, chosen)
    if dry_run:
        emit_forecast(_forecast(reading, asked), as_json)
        return
    place = out or Path("runs") / f"memory-{benchmark}"
    finish_run(run_benchmark(reading, asked, place, load_encoder(encoder)), page, as_json)


def _print_notes(reading: BenchmarkFile, answers: Mapping[str, str]) -> None:
    unused = len(answers.keys() - {item.id for item in reading.items})
    if unused:
        click.echo(f"{unused:,} of {len(answers):,} answers belong to no question that is asked here", err=True)
    for reason, count in reading.skipped.items():
        click.echo(f"left out, as in the official scoring: {count} ({reason})", err=True)
    for note in first_of(reading.notes, _NOTES, " notes; the run keeps them"):
        click.echo(note, err=True)


def _print_left_out(named: Sequence[str], chosen: Sequence[str]) -> None:
    """Print the modes that `all` leaves out, because the table would look complete without them."""
    from constraintsuite.memory.modes import MODES
    from constraintsuite.memory.runs.modes import ALIASES

    there = {name.partition(":")[0].partition(",")[0] for name in chosen}
    absent = [name for name in MODES.names() if name not in there and name not in ALIASES]
    if "all" in named and absent:
        needed = "--encoder, or a model after the mode's name, as in ppr_rerank:cross:NAME_OR_FOLDER"
        click.echo(f"left out: {', '.join(absent)} (they need {needed})", err=True)


def _forecast(reading: BenchmarkFile, asked: PublicRun) -> dict[str, object]:
    return {
        "benchmark": reading.benchmark,
        "questions": len(reading.items),
        "haystacks": len(reading.haystacks),
        "units": sum(len(source.passages) for stack in reading.haystacks.values() for source in stack.sources),
        "modes": list(asked.modes),
        "budgets": list(asked.budgets),
        "searches": len(reading.items) * len(asked.modes) * len(asked.budgets),
    }


def _answers(path: Path) -> Mapping[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path}: this is not valid JSON: {error}. Correct the file.") from None
    inside = found.get("answer", found) if isinstance(found, dict) else found
    if not isinstance(inside, dict) or not all(isinstance(value, str) for value in inside.values()):
        raise UserError(f'{path}: expected an object of answers by question id, as in {{"5a8b57f2": "yes"}}.')
    return inside
