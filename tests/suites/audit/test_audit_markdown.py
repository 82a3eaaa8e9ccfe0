from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.balance import balance
from constraintsuite.suites.audit.markdown import audit_markdown
from constraintsuite.suites.audit.results import Audit, AuditRow, BalanceRow, Conclusion, OverlapRow, TargetVerdict
from constraintsuite.suites.constraints.base import solvers_for
from suites.audit.audit_factory import couples

ROWS = (
    AuditRow(
        "omission",
        "fewer_y",
        Interval(0.998, 0.99, 1.0, 1200),
        0.002,
        "met",
        "only the violating document mentions Y",
        Interval(0.0, 0.0, 0.01, 1200),
        "couples",
    ),
    AuditRow("omission", "query_blind", Interval(None, None, None, 0), None, "undefined", "", None, "couples"),
)
OVERLAPS = (OverlapRow("test", "documents", "train", 8, Interval(0.25, 0.1, 0.4, 40), 0.05),)
TRUST = Conclusion("trust", "Trust it: nothing wins.")
BALANCE = (BalanceRow("omission", "length in words", 1200, 80.5, 70.0, 0.25, flagged=True),)


def test_the_tables_hold_value_interval_ties_and_n() -> None:
    text = audit_markdown(Audit(0, ROWS, OVERLAPS, ("Beware.",), TRUST), BALANCE)
    assert "| `fewer_y` | 99.8 (99.0–100.0), n=1,200 | 0.2 | 0.0 (0.0–1.0), n=1,200 | met, by definition |" in text
    assert "| `query_blind` | –, n=0 | – | – | undefined |" in text
    assert "- `fewer_y`: only the violating document mentions Y." in text
    assert "- Beware." in text
    assert "| `omission` | length in words | 80.5 | 70 | 0.25 | **yes** | 1,200 |" in text
    assert "| `test` | documents | train | 8 | 25.0 (10.0–40.0), n=40 | 5.0 |" in text
    assert "couples and document pairs" in text


def test_the_conclusion_comes_last() -> None:
    assert audit_markdown(Audit(0, ROWS, (), (), TRUST), ()).endswith("### Conclusion\n\n**Trust it: nothing wins.**\n")


@pytest.mark.parametrize(
    ("verdict", "reason", "shown"),
    [
        ("met", "", "met"),
        ("not_met", "", "**not met**"),
        ("not_met", "it is so", "**not met**, by definition"),
        ("too_few", "", "too few"),
    ],
)
def test_a_missed_target_is_bold(verdict: TargetVerdict, reason: str, shown: str) -> None:
    row = replace(ROWS[0], verdict=verdict, reason=reason)
    assert f" n=1,200 | {shown} |" in audit_markdown(Audit(0, (row,), (), (), TRUST), ())


def test_every_table_has_as_many_cells_in_each_row() -> None:
    examples = couples(12)
    tables = [
        block.splitlines()
        for block in audit_markdown(audit_examples(examples, seed=0), balance(examples)).split("\n\n")
        if block.startswith("|")
    ]
    assert len(tables) == 3
    for table in tables:
        assert len({line.count("|") for line in table}) == 1


def test_the_page_explains_every_solver() -> None:
    page = (Path(__file__).parents[3] / "docs" / "audit.md").read_text(encoding="utf-8")
    names = ("query_blind", "query_only", "no_interaction", "template", *solvers_for(couples(1)[0]))
    assert [name for name in names if f"`{name}`" not in page] == []
