"""The audit as Markdown, for the dataset card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from constraintsuite.core.records.tables import Column, Table
from constraintsuite.suites.audit.conclusion import name_pick
from constraintsuite.suites.audit.results import ALL_MAIN, Audit, AuditRow, BalanceRow, OverlapRow


def audit_markdown(audit: Audit, balance: Sequence[BalanceRow]) -> str:
    """The text for the card: warnings, one table per slice, reasons, balance, overlaps, what each solver picks, the conclusion."""
    blocks = [
        "## Audit: can something win that does not understand?",
        _TARGET,
        *filter(None, [_bullets(audit.warnings)]),
        *_slices(audit.rows),
        *_reasons(audit.rows),
        *_balance(balance),
        *_overlaps(audit.overlaps),
        *_legend(dict.fromkeys(row.solver for row in audit.rows)),
        "### Conclusion",
        f"**{audit.conclusion.sentence}**",
    ]
    return "\n\n".join(blocks) + "\n"


_TARGET = (
    "A solver that does not understand the query should be right in half of the examples; a tie counts as half. The target is met if "
    "the 95 % interval contains 50 % and, with 400 examples or more, the share lies from 45 to 55 %; a trained classifier may be "
    "below. Where a definition decides what the solver picks, it must not win more than 25 % of the pairs of a query and its "
    "opposite instead; such examples are left out of the figures over all slices."
)


def _slices(rows: Sequence[AuditRow]) -> Iterator[str]:
    figures = (Column("right", "share"), Column("ties", "share"), Column("pairs won", "share"))
    columns = (Column("solver"), *figures, Column("target"))
    for name, members in groupby(rows, key=lambda row: row.slice):
        part = list(members)
        yield f"### {_title(name)}"
        caption = f"The 95 % intervals resample {_GROUPS[part[0].groups]}."
        cells = tuple((f"`{row.solver}`", row.accuracy, row.tie_rate, row.paired, say_verdict(row)) for row in part)
        yield Table(f"audit_{name}", caption, columns, cells).to_markdown().rstrip()


def say_verdict(row: AuditRow) -> str:
    """The verdict in words; a target that is missed is bold."""
    words = {"met": "met", "not_met": "**not met**", "too_few": "too few", "undefined": "undefined"}[row.verdict]
    return f"{words}, by definition" if row.reason else words


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
        yield "### Decided by definition"
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


def _overlaps(rows: Sequence[OverlapRow]) -> Iterator[str]:
    if not rows:
        return
    yield "### Texts that occur elsewhere"
    shares = (Column("found", "share"), Column("verbatim", "share"))
    columns = (Column("part"), Column("texts"), Column("in"), Column("words", "count"), *shares)
    caption = (
        "Found: texts with so many words in a row that also occur there, or the same as a whole text there (verbatim)."
    )
    cells = tuple((_title(row.part), row.kind, row.elsewhere, row.size, row.share, row.verbatim) for row in rows)
    yield Table("overlaps", caption, columns, cells).to_markdown().rstrip()


def _legend(solvers: Iterable[str]) -> Iterator[str]:
    yield "### What each solver picks"
    yield _bullets(f"`{name}`: {name_pick(name)}." for name in solvers)


def _title(name: str) -> str:
    return "All main slices" if name == ALL_MAIN else f"`{name}`"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
