"""The audit as Markdown, for the dataset card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from constraintsuite.core.records.tables import Column, Table
from constraintsuite.suites.audit.results import ALL_MAIN, QUERY_BLIND, Audit, AuditRow, BalanceRow
from constraintsuite.suites.constraints.base import load_solver

_BLIND = "the choice of a classifier trained only on the documents (not the query), cross-validated by group"


def audit_markdown(audit: Audit, balance: Sequence[BalanceRow]) -> str:
    """The text for the card: warnings, one table per slice, the reasons, the balance, and what each solver picks."""
    blocks = [
        "## Audit: can something win that does not understand?",
        _bullets(audit.warnings) or "No solver that sees less than it should wins where it should not.",
        *_doubts(audit.rows),
        *_slices(audit.rows),
        *_reasons(audit.rows),
        *_balance(balance),
        *_legend(dict.fromkeys(row.solver for row in audit.rows)),
    ]
    return "\n\n".join(blocks) + "\n"


def _doubts(rows: Sequence[AuditRow]) -> Iterator[str]:
    names = dict.fromkeys(_title(row.slice) for row in rows if row.verdict in ("too_few_to_tell", "undefined"))
    if names:
        yield f"Too few examples to rule every shortcut out: {', '.join(names)}."


def _slices(rows: Sequence[AuditRow]) -> Iterator[str]:
    columns = (Column("solver"), Column("right", "share"), Column("ties", "share"), Column("verdict"))
    for name, members in groupby(rows, key=lambda row: row.slice):
        part = list(members)
        yield f"### {_title(name)}"
        caption = f"With 95 % intervals, which resample {_GROUPS[part[0].groups]}; a tie counts as wrong."
        cells = tuple((f"`{row.solver}`", row.accuracy, row.tie_rate, _verdict(row)) for row in part)
        yield Table(f"audit_{name}", caption, columns, cells).to_markdown().rstrip()


def _verdict(row: AuditRow) -> str:
    """The verdict in words; if the opposite choice is the one that leaks, it says so."""
    right, wrong = row.accuracy.value, row.reverse.value
    verdict = row.verdict.replace("_", " ")
    if not verdict.startswith("leak"):
        return verdict
    turned = right is not None and wrong is not None and wrong > right
    return f"**{verdict.replace('leak', 'reverse leaks') if turned else verdict}**"


_GROUPS = {
    "clusters": "components of examples that share near-duplicate clusters",
    "couples": "couples and document pairs, since shared clusters join most examples of the slice into one component",
}


def _reasons(rows: Sequence[AuditRow]) -> Iterator[str]:
    solvers: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.reason:
            solvers[row.reason][f"`{row.solver}`"] = None
    if solvers:
        yield "### By construction"
        yield _bullets(f"{', '.join(names)}: {reason}." for reason, names in solvers.items())


def _balance(rows: Sequence[BalanceRow]) -> Iterator[str]:
    if not rows:
        return
    yield "### Balance of the two documents"
    numbers = (Column(title, "number") for title in ("satisfying", "violating", "SMD"))
    columns = (Column("slice"), Column("feature"), *numbers, Column("unlike"), Column("n", "count"))
    caption = (
        "Means, and SMD: their difference, satisfying minus violating, in standard deviations. "
        "Unlike: 0.1 or more, or two different constants."
    )
    cells = tuple(
        (
            _title(one.slice),
            one.feature,
            one.mean_satisfying,
            one.mean_violating,
            one.smd,
            "**yes**" if one.flagged else "",
            one.n,
        )
        for one in rows
    )
    yield Table("balance", caption, columns, cells).to_markdown().rstrip()


def _legend(solvers: Iterable[str]) -> Iterator[str]:
    yield "### What each solver picks"
    yield _bullets(f"`{name}`: {_BLIND if name == QUERY_BLIND else load_solver(name).description}." for name in solvers)


def _title(name: str) -> str:
    return "All main slices" if name == ALL_MAIN else f"`{name}`"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
