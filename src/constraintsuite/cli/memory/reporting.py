"""`csuite memory report`, and what a benchmark prints when it is done."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.options import json_option
from constraintsuite.cli.places import FOLDER, OUT
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.runs.record import MemoryRun
    from constraintsuite.store.artifact import Artifact


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@click.option("--out", type=OUT, required=True, help="Folder to create: index.html and tables/.")
@json_option
def report(runs: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write one page of RUNS, which opens offline, with its tables as files."""
    from constraintsuite.memory.runs.record import load_memory_run

    page = write_page([load_memory_run(run) for run in dict.fromkeys(runs)], out)
    click.echo(json.dumps({"page": shown(page)}) if as_json else shown(page))


def finish_run(artifact: Artifact, page: Path | None, as_json: bool) -> None:
    """Print what a run found, and write its page if one is wanted."""
    from constraintsuite.memory.runs.record import load_memory_run
    from constraintsuite.memory.runs.robustness import ParaphraseCost
    from constraintsuite.memory.runs.summary import MemoryRunSummary
    from constraintsuite.showing.memory.verdicts import rewordings
    from constraintsuite.store.jsonl import adapter

    run = load_memory_run(artifact.path)
    written = write_page([run], page) if page is not None else None
    if as_json:
        found = {"run": shown(artifact.path), "page": shown(written) if written else None}
        found["summary"] = adapter(MemoryRunSummary).dump_python(run.summary, mode="json")
        found["rewordings"] = adapter(list[ParaphraseCost]).dump_python(rewordings(run), mode="json")
        click.echo(json.dumps(found, indent=2))
        return
    click.echo("\n\n".join(_told(run)))
    click.echo(f"\nRun: {shown(artifact.path)}" + (f"\nPage: {shown(written)}" if written else ""))


def write_page(runs: Sequence[MemoryRun], out: Path) -> Path:
    """The page of some runs, as an artifact; gives the page's path."""
    from constraintsuite.experiments.output import OutputCounts, write_once
    from constraintsuite.reports.files import PAGE, TABLE_FILES, write_files
    from constraintsuite.showing.memory.sections import masthead, sections_of
    from constraintsuite.store.artifact import ArtifactOrigin
    from constraintsuite.store.files import sha256_text
    from constraintsuite.store.jsonl import encode
    from constraintsuite.store.revisions import REVISIONS

    inputs = {f"run {number}": run.artifact.manifest.content for number, run in enumerate(runs, 1)}
    inputs |= {f"times {number}": sha256_text(encode(run.timing).decode()) for number, run in enumerate(runs, 1)}
    head = masthead(runs)
    origin = ArtifactOrigin("report", head.title, inputs, {}, 0, REVISIONS["report"])

    def write(folder: Path) -> OutputCounts:
        tables = write_files(
            folder, head, [section for run in runs for section in sections_of(run, many=len(runs) > 1)]
        )
        return OutputCounts({"runs": len(runs), "tables": tables})

    return write_once(out, origin, (PAGE, *TABLE_FILES), write).path / PAGE


def _told(run: MemoryRun) -> list[str]:
    from constraintsuite.cli.memory.terminal import narrow
    from constraintsuite.showing.memory.sections import remarks_of
    from constraintsuite.showing.memory.tables import contrast_table, score_table, time_table
    from constraintsuite.showing.memory.verdicts import rewording_tables

    parts = []
    for budget in run.summary.budgets:
        parts.append(narrow(score_table(run, budget)))
        contrasts = contrast_table(run, budget)
        parts += [str(contrasts)] if contrasts is not None else []
    parts += [narrow(table) for table in rewording_tables(run)]
    times = time_table(run)
    return [*parts, *([str(times)] if times is not None else []), *remarks_of(run)]
