"""A suite without any run: what is in it, and how far to trust it."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.pages.sections.suite import audit, dataset
from constraintsuite.app.pages.view import ReportView
from constraintsuite.app.views.display import Display, show_each
from constraintsuite.experiments.load import load_suite


@show_each
def show_suite(path: Path) -> Display:
    """The page of a suite: whether to trust it, and what is in it."""
    suite = load_suite(path)
    view = ReportView(suite, {})
    about = f"{len(suite.examples):,} main examples, {len(suite.controls):,} controls. Content {suite.content[:12]}."
    sections = (audit(view), dataset(view))
    return Display(Masthead(suite.name, "suite", about), tuple(one for one in sections if one is not None))
