"""`csuite eval`: score a suite with models."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import suite_argument
from constraintsuite.app.cli.options import (
    by_option,
    engine_options,
    json_option,
    models_option,
    runs_option,
    seed_option,
    small_split_option,
    splits_option,
    tie_options,
)
from constraintsuite.app.cli.output import print_groups, print_json, print_slices
from constraintsuite.app.cli.places import take_folder
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.statistics.pairwise import METRICS, parse_metric
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.execution.engine import Engine
    from constraintsuite.experiments.summary import RunSummary

_METRICS = f"Metric that the table shows: {', '.join(METRICS)}."


@click.command("eval")
@suite_argument()
@models_option
@runs_option
@splits_option
@small_split_option
@click.option("--metric", show_default="the headline metric", help=_METRICS)
@by_option
@seed_option
@tie_options
@json_option
@engine_options(models=True)
def eval_command(  # noqa: PLR0913, PLR0917 - one parameter per option
    suite: Path,
    models: tuple[str, ...],
    out: Path,
    splits: tuple[Split, ...],
    allow_small_split: bool,
    metric: str | None,
    by: str,
    seed: int,
    rule: TieRule,
    as_json: bool,
    engine: Engine,
) -> None:
    """Score SUITE with each model, and write one run per model: OUT/SUITE/MODEL, or OUT/SUITE-SPLIT/MODEL.

    The same command resumes interrupted work after the last finished shard. Models that use statistics of the collection,
    servers and Python functions score everything in one process.

    --ties and --tie-eps change only what is printed; the run stays the same.
    """
    from constraintsuite.app.pages.sections.together import run_tables
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.experiments.load import load_run, load_suite, restrict_to_splits
    from constraintsuite.experiments.oracle import find_reproduction
    from constraintsuite.experiments.pair_experiment import rejudge
    from constraintsuite.experiments.pairs import headline_metric
    from constraintsuite.experiments.run import evaluate_suites, run_folder, suite_name
    from constraintsuite.suites.small_splits import refuse_small_splits

    if not allow_small_split:
        refuse_small_splits(suite, splits)
    chosen = parse_metric(metric) if metric else None
    for model in dict.fromkeys(models):
        take_folder(run_folder(out, suite_name(suite, splits), model))
    folders = [run.path for run in evaluate_suites(suite, models, out, Terminal(), seed, engine, splits)]
    loaded = restrict_to_splits(load_suite(suite), splits or SPLITS)
    runs = [rejudge(load_run(folder), loaded, rule) for folder in folders]
    published = [find_reproduction(run, loaded) for run in runs]
    summaries = [run.summary for run in runs]
    if as_json:
        places = [shown(folder) for folder in folders]
        rows = zip(places, summaries, published, strict=True)
        print_json([{"run": run, "summary": summary, "published": other} for run, summary, other in rows])
        return
    shown_metric = chosen or headline_metric(loaded.examples)
    print_slices(summaries, shown_metric, loaded.examples)
    if by:
        print_groups(runs, by, shown_metric)
    for table in run_tables({run.summary.system: run for run in runs}):
        click.echo(f"\n{table}")
    for line in (*_remarks(summaries), *filter(None, published)):
        click.echo(line)


def _remarks(summaries: Sequence[RunSummary]) -> Iterator[str]:
    """Notes that a reader of the table needs: ties, guessing models, truncated texts."""
    from constraintsuite.app.pages.group_tables import tie_remarks
    from constraintsuite.experiments.pairs import is_chance

    yield from tie_remarks({summary.system: summary for summary in summaries})
    guesses = [summary.system for summary in summaries if is_chance(summary.system)]
    if len(guesses) < len(summaries):
        yield from (
            f"{model} only guesses, and is the row `chance`. Its run is written like the others." for model in guesses
        )
    if summaries[0].rule != STRICT:
        yield f"Ties: {summaries[0].rule}. The runs themselves store strict figures."
    for summary in summaries:
        audit = summary.truncation
        if audit is not None and audit.cut:
            yield (
                f"{summary.system} cuts texts before the words that decide {audit.cut:,} of {audit.examples:,} examples "
                f"({audit.identical:,} of them look the same to it). See `truncation` in summary.json."
            )
        if audit is not None and 2 * audit.unheard > audit.examples:
            yield (
                f"In {audit.unheard:,} of {audit.examples:,} examples, {summary.system} scores the two documents exactly as far apart "
                "under both queries: it hardly reads the query. Is its `length` too small?"
            )
