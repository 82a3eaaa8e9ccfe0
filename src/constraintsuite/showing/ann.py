"""Benchmarks of vector search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.experiments.output import OutputCounts
from constraintsuite.reports.drawings.plot import draw_charts
from constraintsuite.reports.files import write_files, write_plots
from constraintsuite.reports.page import Masthead
from constraintsuite.showing.display import Display, refusing_others
from constraintsuite.vectors.ann.results import AnnRun, load_ann_run
from constraintsuite.vectors.ann.sections import ann_sections
from constraintsuite.vectors.ann.several import told_apart


def write_page(runs: Sequence[AnnRun], folder: Path) -> OutputCounts:
    """One page of all runs, with its tables and plots as files."""
    sections = list(map(draw_charts, ann_sections(runs)))
    tables = write_files(folder, masthead(runs), sections)
    write_plots(folder, sections)
    return OutputCounts({"runs": len(runs), "tables": tables})


@refusing_others
def show_ann(path: Path) -> Display:
    """One benchmark."""
    runs = [load_ann_run(path)]
    return Display(masthead(runs), tuple(map(draw_charts, ann_sections(runs))))


def masthead(runs: Sequence[AnnRun]) -> Masthead:
    """What stands above all sections."""
    cells, failed, rankings = (sum(map(len, parts)) for parts in zip(*map(_parts, told_apart(runs)), strict=True))
    beside = f" {rankings:,} ranked without vectors." if rankings else ""
    about = f"{cells:,} cells, {failed:,} failed.{beside} Recall comes with its 95 % interval over queries."
    return Masthead(title_of(runs), "vector search", about)


def title_of(runs: Sequence[AnnRun]) -> str:
    """The names of the benchmarks."""
    return ", ".join(dict.fromkeys(run.facts.name for run in runs))


def _parts(run: AnnRun) -> tuple[Sequence[object], ...]:
    return run.cells, (*run.failures, *run.failed_rankings), run.rankings
