"""What a benchmark prints when it is done, and its page."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from constraintsuite.cli.output import emit
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.memory.runs.record import MemoryRun
    from constraintsuite.store.artifact import Artifact


def finish_run(artifact: Artifact, page: Path | None, as_json: bool) -> None:
    """Print what a run found, and write its page if one is wanted."""
    from constraintsuite.memory.runs.record import load_memory_run
    from constraintsuite.showing.display import ShowOptions, write_shown_report
    from constraintsuite.showing.memory.verdicts import rewordings

    run = load_memory_run(artifact.path)
    written = write_shown_report([artifact.path], page, ShowOptions()) if page is not None else None
    page_place = shown(written) if written else None
    record = {"run": shown(artifact.path), "page": page_place, "summary": run.summary, "rewordings": rewordings(run)}
    emit(record, as_json, _lines(run, shown(artifact.path), page_place))


def _lines(run: MemoryRun, place: str, page_place: str | None) -> Iterator[str]:
    yield "\n\n".join(_parts(run))
    yield f"\nRun: {place}" + (f"\nPage: {page_place}" if page_place else "")


def _parts(run: MemoryRun) -> list[str]:
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
