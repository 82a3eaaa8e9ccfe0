"""What a benchmark prints when it is done, and its page."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.runs.record import MemoryRun
    from constraintsuite.store.artifact import Artifact


def finish_run(artifact: Artifact, page: Path | None, as_json: bool) -> None:
    """Print what a run found, and write its page if one is wanted."""
    from constraintsuite.memory.runs.record import load_memory_run
    from constraintsuite.memory.runs.robustness import ParaphraseCost
    from constraintsuite.memory.runs.summary import MemoryRunSummary
    from constraintsuite.showing.display import ShowOptions
    from constraintsuite.showing.memory.verdicts import rewordings
    from constraintsuite.showing.report import write_shown_report
    from constraintsuite.store.jsonl import adapter

    run = load_memory_run(artifact.path)
    written = write_shown_report([artifact.path], page, ShowOptions()) if page is not None else None
    if as_json:
        found = {"run": shown(artifact.path), "page": shown(written) if written else None}
        found["summary"] = adapter(MemoryRunSummary).dump_python(run.summary, mode="json")
        found["rewordings"] = adapter(list[ParaphraseCost]).dump_python(rewordings(run), mode="json")
        click.echo(json.dumps(found, indent=2))
        return
    click.echo("\n\n".join(_told(run)))
    click.echo(f"\nRun: {shown(artifact.path)}" + (f"\nPage: {shown(written)}" if written else ""))


def _told(run: MemoryRun) -> list[str]:
    from constraintsuite.experiments.differences import LEGEND
    from constraintsuite.records.formats.text import text_parts
    from constraintsuite.showing.memory.sections import remarks_of
    from constraintsuite.showing.memory.tables import baseline_tables, score_table, time_table
    from constraintsuite.showing.memory.verdicts import rewording_tables

    tests = baseline_tables(run)
    tables = [table for budget in run.summary.budgets for table in (score_table(run, budget), tests.get(budget))]
    tables += [*rewording_tables(run), time_table(run)]
    parts = [part for table in tables if table is not None for part in text_parts(table, stacked=True)]
    return [*parts, *([LEGEND] if tests else []), *remarks_of(run)]
