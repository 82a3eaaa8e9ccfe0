"""The page of vector search benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.app.pages.drawings.plot import draw_charts
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, show_together
from constraintsuite.vectors.ann.frontier import separate_runs
from constraintsuite.vectors.ann.results import load_ann_run
from constraintsuite.vectors.ann.sections import ann_sections


@show_together
def show_ann(paths: Sequence[Path], options: ShowOptions) -> Display:
    """One page about several benchmarks; each section holds figures that may be compared with each other."""
    runs = [load_ann_run(path) for path in paths]
    separate = separate_runs(runs)
    cells, rankings = sum(len(run.cells) for run in separate), sum(len(run.rankings) for run in separate)
    failed = sum(len(run.failures) + len(run.failed_rankings) for run in separate)
    without = f" {rankings:,} rankings without vectors." if rankings else ""
    about = f"{cells:,} cells, {failed:,} failed.{without} Recall comes with its 95 % interval over queries."
    title = ", ".join(dict.fromkeys(run.facts.name for run in runs))
    return Display(Masthead(title, "vector search", about), tuple(map(draw_charts, ann_sections(runs))))
