"""The card does not call a criterion met that too few examples could not break."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.audit.results import Audit, AuditRow, Conclusion, TargetVerdict
from constraintsuite.suites.card import write_card
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.recipe import Recipe

RECIPE = Recipe(name="tiny", corpus=SourceSettings(source="sample"))
COVERAGE = CorpusCoverage(10, 10, 1.0, 1, (), 10, 1.0, (), (), (), 1, (), 0, 5, True, "This corpus can be built from.")
FEW, MANY, LEAK = Interval(0.55, 0.2, 0.85, 8), Interval(0.52, 0.48, 0.56, 900), Interval(0.8, 0.75, 0.85, 900)


@pytest.mark.parametrize(
    ("solver", "criterion"),
    [("query_blind", "a query-blind classifier is at chance"), ("bm25_query", "baselines between 50 % and 100 %")],
)
@pytest.mark.parametrize(("accuracy", "verdict", "met"), [(FEW, "too_few", "too few to tell"), (MANY, "met", "yes")])
def test_a_criterion_is_met_only_by_enough_examples(
    tmp_path: Path, solver: str, criterion: str, accuracy: Interval, verdict: TargetVerdict, met: str
) -> None:
    assert line_of(tmp_path, criterion, AuditRow("all", solver, accuracy, 0.0, verdict, "", None, "clusters")) == met


def test_a_classifier_that_wins_is_not_at_chance(tmp_path: Path) -> None:
    row = AuditRow("all", "query_blind", LEAK, 0.0, "not_met", "", None, "clusters")
    assert line_of(tmp_path, "a query-blind classifier is at chance", row) == "no"


def line_of(folder: Path, criterion: str, row: AuditRow) -> str:
    """The last cell of a criterion's row on the card."""
    write_card(
        folder / "README.md", RECIPE, [], COVERAGE, {}, Audit(0, (row,), (), (), Conclusion("trust", "Trust it.")), []
    )
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith(f"| {criterion} |"))
    return line.split("|")[-2].strip()
