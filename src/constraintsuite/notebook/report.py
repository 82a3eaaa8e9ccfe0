"""A page of runs."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.metrics.ties import TiePolicy, TieRule
from constraintsuite.models.base import Workbench
from constraintsuite.notebook.places import FolderPath, choose_reporter
from constraintsuite.notebook.run import Run, as_run
from constraintsuite.reports.html import Extras, write_report
from constraintsuite.store.download import cache_folder


def report(*runs: Run | FolderPath, out: FolderPath, ties: TiePolicy = "strict", quiet: bool = False) -> Path:
    """Write a page about runs of one suite, with its tables as files, to share or to put into a paper.

    `runs` are runs or their folders; `out` is the folder to create; `ties` says what equal scores count. Returns the
    path of the page, `index.html`, which needs nothing else; `tables/` beside it has CSV, JSON, Markdown and LaTeX.

        >>> cs.report(run, "runs/ours/bm25", out="report")
    """
    if not runs:
        raise UserError("A report needs at least one run.")
    given = [as_run(run) for run in runs]
    if any(run.is_slice for run in given):
        raise UserError("A page is of whole runs, and breaks them down by itself: give the run, not a slice of it.")
    bench = Workbench(cache=cache_folder() / "scores", reporter=choose_reporter(quiet))
    folders = [run.path for run in given]
    return write_report(given[0].suite.path, folders, Path(out), Extras(rule=TieRule(ties)), bench)
