"""`csuite memory hotpotqa | musique | 2wiki | hover | longmemeval | locomo`: public benchmarks, officially scored."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from constraintsuite.app.cli.memory.resources import load_encoder, named_modes, score_bench, vector_cache
from constraintsuite.app.cli.options import (
    Command,
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
from constraintsuite.app.cli.output import count_lines, emit
from constraintsuite.app.cli.places import FILE
from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.memory.public.base import BenchmarkFile, Granularity
    from constraintsuite.memory.public.run import PublicRun


_NOTES = 5
_FILE = click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
_HOW = combine(modes_option(), budgets_option, encoder_option, limit_option("QUESTIONS"))
_POOLED = click.option("--pooled", is_flag=True, help="Search the documents of all questions together.")
_GRANULARITY = click.option(
    "--granularity", type=click.Choice(["session", "turn"]), help="What a unit of a dialogue is."
)
_CORPUS = click.option("--corpus", type=FILE, help="The articles, as JSON lines; HoVer's file holds no text.")
_SCORED = combine(
    click.option(
        "--most-tokens", type=click.IntRange(min=1), help="Cut rankings at this many words and punctuation marks."
    ),
    click.option(
        "--links",
        type=click.Choice(["names", "titles"]),
        default="names",
        show_default=True,
        help="What joins documents.",
    ),
    click.option("--answers", type=FILE, help="JSON file of answers by question id, to be scored too."),
)
_WHERE = combine(
    repeats_option, out_option(otherwise="runs/memory-BENCHMARK"), page_option, dry_run_option, json_option
)


def _command(name: str, words: str, *extra: Callable[[Command], Command]) -> click.Command:
    """The command of one benchmark, with the options that it alone has a use for."""

    def run(  # noqa: PLR0913, PLR0917 - one parameter an option
        file: Path,
        modes: tuple[str, ...],
        budgets: tuple[int, ...],
        encoder: str | None,
        limit: int | None,
        most_tokens: int | None,
        links: Literal["names", "titles"],
        answers: Path | None,
        repeats: int,
        out: Path | None,
        page: Path | None,
        dry_run: bool,
        as_json: bool,
        pooled: bool = False,
        granularity: Granularity | None = None,
        corpus: Path | None = None,
    ) -> None:
        from constraintsuite.app.cli.memory.benchmarks import finish_run
        from constraintsuite.core.execution.progress import Terminal
        from constraintsuite.memory.public import BENCHMARKS
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
        options = ReadOptions(limit, pooled, granularity, corpus)
        reading = BENCHMARKS.load(name)(file, options)
        if not as_json:
            _tell(reading, given or {})
            _tell_left_out(modes, chosen)
        if dry_run:
            _forecast(reading, asked, as_json)
            return
        place = out or Path("runs") / f"memory-{name}"
        finish_run(run_benchmark(reading, asked, place, load_encoder(encoder)), page, as_json)

    run.__doc__ = f"""{words}

    Every mode returns at most --budget units for each question, and is scored as the benchmark's authors do it.
    """
    return click.command(name)(combine(_FILE, _HOW, *extra, _SCORED, _WHERE)(run))


def _tell(reading: BenchmarkFile, answers: Mapping[str, str]) -> None:
    strange = len(answers.keys() - {item.id for item in reading.items})
    if strange:
        click.echo(f"{strange:,} of {len(answers):,} answers are to no question that is asked here", err=True)
    for reason, count in reading.skipped.items():
        click.echo(f"left out, as officially: {count} ({reason})", err=True)
    for note in reading.notes[:_NOTES]:
        click.echo(note, err=True)
    if len(reading.notes) > _NOTES:
        click.echo(f"and {len(reading.notes) - _NOTES} more notes; the run keeps them", err=True)


def _tell_left_out(named: Sequence[str], chosen: Sequence[str]) -> None:
    """Which modes `all` did not mean: a table that lacks them looks complete."""
    from constraintsuite.memory.modes import MODES
    from constraintsuite.memory.runs.modes import ALIASES

    there = {name.partition(":")[0].partition(",")[0] for name in chosen}
    absent = [name for name in MODES.names() if name not in there and name not in ALIASES]
    if "all" in named and absent:
        needed = "--encoder, or a model behind their name, as in ppr_rerank:cross:NAME_OR_FOLDER"
        click.echo(f"left out: {', '.join(absent)} (they need {needed})", err=True)


def _forecast(reading: BenchmarkFile, asked: PublicRun, as_json: bool) -> None:
    units = sum(len(source.passages) for stack in reading.haystacks.values() for source in stack.sources)
    record = {
        "benchmark": reading.benchmark,
        "questions": len(reading.items),
        "haystacks": len(reading.haystacks),
        "units": units,
        "modes": list(asked.modes),
        "budgets": list(asked.budgets),
        "searches": len(reading.items) * len(asked.modes) * len(asked.budgets),
    }
    counts = {
        f"questions over {len(reading.haystacks):,} haystacks with {units:,} units": len(reading.items),
        f"searches: {', '.join(asked.modes)}": len(reading.items) * len(asked.modes) * len(asked.budgets),
    }
    emit(record, as_json, count_lines(counts))


def _answers(path: Path) -> Mapping[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path}: not a JSON file: {error}.") from None
    inside = found.get("answer", found) if isinstance(found, dict) else found
    if not isinstance(inside, dict) or not all(isinstance(value, str) for value in inside.values()):
        raise UserError(f'{path}: expected an object of answers by question id, as in {{"5a8b57f2": "yes"}}.')
    return inside


hotpotqa = _command("hotpotqa", "Run HotpotQA's FILE: supporting facts among the sentences of ten paragraphs.", _POOLED)
musique = _command("musique", "Run MuSiQue's FILE: paragraphs that a question of two to four hops needs.", _POOLED)
twowiki = _command("2wiki", "Run 2WikiMultiHopQA's FILE: supporting facts, with reasoning types.", _POOLED)
hover = _command("hover", "Run HoVer's FILE: sentences that decide a claim, sought in a corpus.", _CORPUS)
longmemeval = _command(
    "longmemeval",
    "Run LongMemEval's FILE: sessions, or turns, of long ago that answer a question.",
    _POOLED,
    _GRANULARITY,
)
locomo = _command("locomo", "Run LoCoMo's FILE: turns, or sessions, of very long conversations.", _GRANULARITY)
