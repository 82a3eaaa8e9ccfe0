"""A tiny suite with runs and their report, made once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from constraintsuite.app.pages.run_report import write_report
from constraintsuite.app.pages.view import ReportView, make_view
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.experiments.load import load_run, load_suite
from constraintsuite.experiments.run import evaluate_suites
from constraintsuite.suites.audit.results import Audit, AuditRow, Conclusion, OverlapRow
from experiments.tiny_suite import CONTROLS, EXAMPLES, copied, write_suite

HOSTILE = "<script>alert('1')</script>\"'&amp;"
AUDIT = Audit(
    seed=0,
    rows=(
        AuditRow(
            "all",
            "length",
            Interval(0.51, 0.4, 0.6, 50),
            tie_rate=0.0,
            verdict="met",
            reason="edits",
            paired=Interval(0.0, 0.0, 0.1, 50),
            groups="clusters",
        ),
    ),
    overlaps=(OverlapRow("test", "documents", "train", 8, Interval(0.25, 0.1, 0.4, 40), 0.0),),
    warnings=("Shorter texts win.",),
    conclusion=Conclusion("trust", "Trust it: nothing wins."),
)


class Reported(NamedTuple):
    """A suite, its runs, and the folder of their report."""

    suite: Path
    runs: list[Path]
    report: Path

    @property
    def page(self) -> Path:
        return self.report / "index.html"


def evaluate(suite: Path, *models: str) -> list[Path]:
    runs = evaluate_suites(suite, models or ("bm25", "tfidf"), suite.parent / "runs", Silent())
    return [run.path for run in runs]


def view_of(suite: Path, runs: Sequence[Path]) -> ReportView:
    return make_view(load_suite(suite), [load_run(run) for run in runs])


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """Of BM25, which ties in a fifth of the examples, TF-IDF, and random scores, which no page ranks. Not to be changed."""
    folder = tmp_path_factory.mktemp("reported")
    suite = folder / "suite"
    suite.mkdir()
    write_text(suite / "audit.json", adapter(Audit).dump_json(AUDIT).decode())
    (suite / "README.md").write_text(f"# Tiny\n\nMade by hand. {HOSTILE}\n")
    write_suite(suite, copied(EXAMPLES), copied(CONTROLS))
    runs = evaluate(suite, "bm25:nostop", "tfidf", "random")
    return Reported(suite, runs, write_report(suite, runs, folder / "report").parent)


@pytest.fixture(scope="session")
def view(reported: Reported) -> ReportView:
    return view_of(reported.suite, reported.runs)
