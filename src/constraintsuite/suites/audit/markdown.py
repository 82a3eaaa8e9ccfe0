"""The audit as Markdown, for the dataset card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from constraintsuite.suites.audit.results import ALL_MAIN, QUERY_BLIND, Audit, AuditRow, BalanceRow, LeakVerdict
from constraintsuite.suites.constraints.base import load_solver

_VERDICTS: Mapping[LeakVerdict, str] = {
    "leak": "**leak**",
    "leak_in_part": "**leak in part**",
    "by_construction": "by construction",
    "ok": "ok",
    "too_few_to_tell": "too few to tell",
    "undefined": "undefined",
}
_BLIND = "what a classifier prefers that was trained on the two documents alone, other groups held out"


def audit_markdown(audit: Audit, balance: Sequence[BalanceRow]) -> str:
    """Warnings, one table a slice, the reasons, the balance, and what each solver is."""
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
    for name, members in groupby(rows, key=lambda row: row.slice):
        part = list(members)
        yield f"### {_title(name)}"
        yield _table(
            ("solver", "right", "95 % interval", "ties", "n", "verdict"),
            [
                (
                    f"`{row.solver}`",
                    _number(row.accuracy.value),
                    _bounds(row.accuracy.low, row.accuracy.high),
                    _percent(row.tie_rate),
                    f"{row.accuracy.n:,}",
                    _verdict(row),
                )
                for row in part
            ],
        )
        yield f"Intervals resample {_GROUPS[part[0].groups]}; a tie counts as wrong."


def _verdict(row: AuditRow) -> str:
    """In words; a share far below chance is a leak turned round, and called so."""
    right, wrong = row.accuracy.value, row.reverse.value
    turned = right is not None and wrong is not None and wrong > right and row.verdict in ("leak", "leak_in_part")
    return _VERDICTS[row.verdict].replace("leak", "reverse leaks") if turned else _VERDICTS[row.verdict]


_GROUPS = {
    "clusters": "components of examples that share near-duplicate clusters",
    "couples": "couples and document pairs, since shared clusters join most examples of the slice into one component",
}


def _reasons(rows: Sequence[AuditRow]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            solvers = reasons.setdefault(row.reason, [])
            solvers += [name for name in [f"`{row.solver}`"] if name not in solvers]
    if reasons:
        yield "### By construction"
        yield _bullets(f"{', '.join(solvers)}: {reason}." for reason, solvers in reasons.items())


def _balance(rows: Sequence[BalanceRow]) -> Iterator[str]:
    if not rows:
        return
    yield "### Balance of the two documents"
    yield (
        "SMD: difference of the means, satisfying minus violating, in standard deviations. "
        "Bold: 0.1 or more, or two different constants."
    )
    yield _table(
        ("slice", "feature", "satisfying", "violating", "SMD", "n"),
        [
            (
                _title(row.slice),
                row.feature,
                _number(row.mean_satisfying),
                _number(row.mean_violating),
                f"**{_number(row.smd)}**" if row.flagged else _number(row.smd),
                f"{row.n:,}",
            )
            for row in rows
        ],
    )


def _legend(solvers: Iterable[str]) -> Iterator[str]:
    yield "### What each solver picks"
    yield _bullets(f"`{name}`: {_BLIND if name == QUERY_BLIND else load_solver(name).says}." for name in solvers)


def _title(name: str) -> str:
    return "All main slices" if name == ALL_MAIN else f"`{name}`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _bounds(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}".replace("%", " %")
