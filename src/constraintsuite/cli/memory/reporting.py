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
    from constraintsuite.showing.memory.verdicts import rewordings
    from constraintsuite.store.jsonl import adapter

    run = load_memory_run(artifact.path)
    written = _write_page(run, page) if page is not None else None
    if as_json:
        found = {"run": shown(artifact.path), "page": shown(written) if written else None}
        found["summary"] = adapter(MemoryRunSummary).dump_python(run.summary, mode="json")
        found["rewordings"] = adapter(list[ParaphraseCost]).dump_python(rewordings(run), mode="json")
        click.echo(json.dumps(found, indent=2))
        return
    click.echo("\n\n".join(_told(run)))
    click.echo(f"\nRun: {shown(artifact.path)}" + (f"\nPage: {shown(written)}" if written else ""))


def _write_page(run: MemoryRun, out: Path) -> Path:
    """The page of a run, as an artifact; gives the page's path."""
    from constraintsuite.showing.mechanism.pages import write_page
    from constraintsuite.showing.memory.sections import display_runs
    from constraintsuite.store.files import sha256_text
    from constraintsuite.store.jsonl import encode

    display = display_runs([run])
    inputs = {"run": run.artifact.manifest.content, "times": sha256_text(encode(run.timing).decode())}
    return write_page(out, display.head, inputs, lambda: display.sections)


def _told(run: MemoryRun) -> list[str]:
    from constraintsuite.cli.memory.terminal import narrow
    from constraintsuite.showing.memory.sections import remarks_of
    from constraintsuite.showing.memory.tables import baseline_table, score_table, time_table
    from constraintsuite.showing.memory.verdicts import rewording_tables

    parts = []
    for budget in run.summary.budgets:
        parts.append(narrow(score_table(run, budget)))
        tests = baseline_table(run, budget)
        parts += [str(tests)] if tests is not None else []
    parts += [narrow(table) for table in rewording_tables(run)]
    times = time_table(run)
    return [*parts, *([str(times)] if times is not None else []), *remarks_of(run)]
