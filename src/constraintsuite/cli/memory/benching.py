"""`csuite memory bench`: structured cases under all modes, at equal budgets."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path

import click

from constraintsuite.cli.arguments import cases_argument
from constraintsuite.cli.memory.forecasting import tell_forecast
from constraintsuite.cli.memory.resources import load_encoder, named_modes, open_datasets, score_bench, vector_cache
from constraintsuite.cli.options import (
    budgets_option,
    dry_run_option,
    encoder_option,
    json_option,
    modes_option,
    out_option,
    page_option,
    repeats_option,
)


@click.command()
@cases_argument
@modes_option()
@budgets_option
@encoder_option
@click.option("--lenient", is_flag=True, help="Skip what is wrong in a file, where possible, and say so.")
@click.option("--now", metavar="TIME", show_default="2026-01-01", help="When the first case is asked.")
@repeats_option
@out_option(otherwise="runs/memory-NAME")
@page_option
@dry_run_option
@json_option
def bench(  # noqa: PLR0913, PLR0917 - one parameter an option
    cases: tuple[str, ...],
    modes: tuple[str, ...],
    budgets: tuple[int, ...],
    encoder: str | None,
    lenient: bool,
    now: str | None,
    repeats: int,
    out: Path | None,
    page: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run CASES, which are benchmark files or names of bundled ones; without any, all that are bundled.

    Each case asks for evidence, and may ask for a path, roles, contradictions, a trace and a state; it passes if most of
    its wordings do. What no mode here can answer is counted as not evaluated, never as passed.
    """
    from constraintsuite.cli.memory.reporting import finish_run
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.memory.cases.run import START, CaseRun
    from constraintsuite.memory.runs.benchmarks import BUNDLED, run_structured

    chosen = named_modes(modes, encoder=encoder is not None)
    datasets = open_datasets(cases, lenient=lenient)
    if dry_run:
        tell_forecast(datasets, chosen, budgets, repeats, as_json)
        return
    run = CaseRun(chosen, budgets, now or START, cache=vector_cache(), bench=score_bench(), reporter=Terminal())
    name = datasets[0].dataset.dataset_id if len(datasets) == 1 else BUNDLED
    place = out or Path("runs") / f"memory-{name}"
    finish_run(run_structured(datasets, run, place, load_encoder(encoder), repeats=repeats), page, as_json)
