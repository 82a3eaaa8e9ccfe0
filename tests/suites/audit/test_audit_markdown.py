from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.balance import balance
from constraintsuite.suites.audit.markdown import audit_markdown
from constraintsuite.suites.audit.results import Audit, AuditRow, BalanceRow, LeakVerdict
from constraintsuite.suites.constraints.base import solvers_for
from suites.audit.audit_factory import couples, singles

ROWS = (
    AuditRow(
        "omission",
        "fewer_y",
        Interval(0.998, 0.99, 1.0, 1200),
        Interval(0.0, 0.0, 0.01, 1200),
        0.002,
        "by_construction",
        "only the violating document mentions Y",
        "couples",
    ),
    AuditRow(
        "omission",
        "query_blind",
        Interval(None, None, None, 0),
        Interval(None, None, None, 0),
        None,
        "undefined",
        "",
        "couples",
    ),
)
BALANCE = (BalanceRow("omission", "length in words", 1200, 80.5, 70.0, 0.25, flagged=True),)


def test_the_tables_hold_value_interval_ties_and_n() -> None:
    text = audit_markdown(Audit(0, ROWS, ("Beware.",)), BALANCE)
    assert "| `fewer_y` | 99.8 (99.0–100.0), n=1,200 | 0.2 | by construction |" in text
    assert "| `query_blind` | –, n=0 | – | undefined |" in text
    assert "- `fewer_y`: only the violating document mentions Y." in text
    assert "- Beware." in text
    assert "| `omission` | length in words | 80.5 | 70 | 0.25 | **yes** | 1,200 |" in text
    assert "couples and document pairs" in text


def test_a_clean_audit_says_so_and_a_leak_is_bold() -> None:
    clean = couples(250)
    assert "No solver that sees less" in audit_markdown(audit_examples(clean, seed=0), balance(clean))
    leaky = singles(60, planted="zebra")
    text = audit_markdown(audit_examples(leaky, seed=0), balance(leaky))
    assert "**leak**" in text and "never sees the query" in text


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "shown"),
    [
        (0.7, 0.2, "leak", "**leak**"),
        (0.1, 0.8, "leak", "**reverse leaks**"),
        (0.4, 0.1, "leak_in_part", "**leak in part**"),
        (0.1, 0.45, "leak_in_part", "**reverse leaks in part**"),
        (0.1, 0.45, "ok", "ok"),
    ],
)
def test_a_leak_turned_round_is_called_so(right: float, wrong: float, verdict: LeakVerdict, shown: str) -> None:
    row = replace(ROWS[0], accuracy=Interval(right, 0.0, 1.0, 9), reverse=Interval(wrong, 0.0, 1.0, 9), verdict=verdict)
    assert f" 0.2 | {shown} |" in audit_markdown(Audit(0, (row,), ()), ())


def test_slices_with_too_few_examples_are_not_called_ok() -> None:
    few = couples(4)
    text = audit_markdown(audit_examples(few, seed=0), balance(few))
    assert "| too few to tell |" in text
    assert "Too few examples to rule every shortcut out: All main slices, `explicit`." in text
    enough = couples(250)
    assert "Too few" not in audit_markdown(audit_examples(enough, seed=0), balance(enough)).replace(
        "too few", "Too few"
    )


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
    names = ("query_blind", *solvers_for(couples(1)[0]))
    assert [name for name in names if f"`{name}`" not in page] == []
