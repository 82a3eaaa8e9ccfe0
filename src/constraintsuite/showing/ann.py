"""Benchmarks of vector search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.reports.drawings.plot import draw_charts
from constraintsuite.reports.page import Masthead
from constraintsuite.showing.display import Display, ShowOptions, refusing_others
from constraintsuite.vectors.ann.results import AnnRun, load_ann_run
from constraintsuite.vectors.ann.sections import ann_sections
from constraintsuite.vectors.ann.several import told_apart


@refusing_others
def show_ann(paths: Sequence[Path], options: ShowOptions) -> Display:
    """Benchmarks on one page: figures that may be compared stand in one section."""
    runs = [load_ann_run(path) for path in paths]
    return Display(masthead(runs), tuple(map(draw_charts, ann_sections(runs))))


def masthead(runs: Sequence[AnnRun]) -> Masthead:
    """What stands above all sections."""
    cells, failed, rankings = (sum(map(len, parts)) for parts in zip(*map(_parts, told_apart(runs)), strict=True))
    beside = f" {rankings:,} ranked without vectors." if rankings else ""
    about = f"{cells:,} cells, {failed:,} failed.{beside} Recall comes with its 95 % interval over queries."
    return Masthead(", ".join(dict.fromkeys(run.facts.name for run in runs)), "vector search", about)


def _parts(run: AnnRun) -> tuple[Sequence[object], ...]:
    return run.cells, (*run.failures, *run.failed_rankings), run.rankings
