"""The page of a suite without runs: what it holds, and how far to trust it."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.pages.sections.suite import audit, dataset
from constraintsuite.app.pages.view import ReportView
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.experiments.load import load_suite


@show_each
def show_suite(path: Path, _: ShowOptions) -> Display:
    """The page of one suite: its audit, then its contents."""
    suite = load_suite(path)
    view = ReportView(suite, {})
    about = f"{len(suite.examples):,} main examples, {len(suite.controls):,} controls. Content {suite.content[:12]}."
    sections = (audit(view), dataset(view))
    return Display(Masthead(suite.name, "suite", about), tuple(one for one in sections if one is not None))
