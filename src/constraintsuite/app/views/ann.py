"""Benchmarks of vector search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.app.pages.drawings.plot import draw_charts
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, refusing_others
from constraintsuite.vectors.ann.frontier import separate_runs
from constraintsuite.vectors.ann.results import AnnRun, load_ann_run
from constraintsuite.vectors.ann.sections import ann_sections


@refusing_others
def show_ann(paths: Sequence[Path], options: ShowOptions) -> Display:
    """One page of several benchmarks: figures that may be compared stand in one section."""
    runs = [load_ann_run(path) for path in paths]
    return Display(_masthead(runs), tuple(map(draw_charts, ann_sections(runs))))


def _masthead(runs: Sequence[AnnRun]) -> Masthead:
    cells, failed, rankings = (sum(map(len, parts)) for parts in zip(*map(_parts, separate_runs(runs)), strict=True))
    beside = f" {rankings:,} ranked without vectors." if rankings else ""
    about = f"{cells:,} cells, {failed:,} failed.{beside} Recall comes with its 95 % interval over queries."
    title = ", ".join(dict.fromkeys(run.facts.name for run in runs))
    return Masthead(title, "vector search", about)


def _parts(run: AnnRun) -> tuple[Sequence[object], ...]:
    return run.cells, (*run.failures, *run.failed_rankings), run.rankings
