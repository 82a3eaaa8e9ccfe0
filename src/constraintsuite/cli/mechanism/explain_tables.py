"""An analysis as tables: the same for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from constraintsuite.mechanism.effects.summary import SiteSummary
from constraintsuite.mechanism.explain.records import Explained
from constraintsuite.mechanism.sites import parse_site
from constraintsuite.reports.figures import Kind, Value
from constraintsuite.reports.tables import Column, Table

SHOWN = 12
"""Of the strongest sites."""
_CARRYING = ("embeddings", "residual")
Columns = Sequence[tuple[str, Kind]]


def baseline_table(explained: Explained) -> Table:
    """How the model does before anything is patched."""
    rows = tuple((one.items, one.clean_margin, one.corrupt_margin, one.correct) for one in explained.summary.baselines)
    columns: Columns = (
        ("contrasts", "text"),
        ("clean margin", "number"),
        ("corrupt margin", "number"),
        ("clean margin above 0, %", "share"),
    )
    caption = "Margins in logits, of contrasts that are studied and of their controls."
    return _table("baselines", caption, columns, rows)


def strongest_table(explained: Explained, direction: str, method: str, items: str = "all", count: int = SHOWN) -> Table:
    """The places with the largest mean effect, whichever way."""
    mine = components(one for one in of_items(explained, items) if (one.direction, one.method) == (direction, method))
    order = sorted(mine, key=lambda one: -abs(one.effect.value or 0.0))[:count]
    rows = tuple((_place(one), one.effect, one.recovered, one.flips, one.aside) for one in order)
    columns: Columns = (
        ("place", "text"),
        ("effect", "number"),
        ("lost" if method.startswith("ablation") else "recovered", "number"),
        ("flips, %", "share"),
        ("plain relevance", "number"),
    )
    whose = "" if items == "all" else f" ({items})"
    caption = (
        f"{method}, {direction}{whose}: the {len(rows)} places with the largest effect of {len(mine)}. Effects in logits; "
        "n counts contrasts, whose clusters are resampled. Nothing here is corrected for having looked at so many."
    )
    return _table(f"strongest_{method}_{direction}_{items}", caption, columns, rows)


def every_table(explained: Explained) -> Table:
    """All figures, for programs."""
    rows = tuple(
        (one.site, one.role, one.items, one.direction, one.method, one.effect, one.recovered, one.flips, one.aside)
        for one in explained.summary.sites
    )
    columns: Columns = (
        *((name, "text") for name in ("site", "role", "items", "direction", "method")),
        *((name, "number") for name in ("effect", "recovered", "flips", "aside")),
    )
    return Table("effects", "All figures.", tuple(Column(*one) for one in columns), rows, long=True)


def invariant_table(explained: Explained) -> Table:
    """What was checked of the model when it was loaded."""
    rows = tuple((one.name, one.status, one.difference, one.detail) for one in explained.subject.invariants)
    columns: Columns = (("invariant", "text"), ("status", "text"), ("largest difference", "number"), ("detail", "text"))
    return _table("invariants", f"Checked when {explained.subject.name} was loaded.", columns, rows)


def agreement_table(explained: Explained) -> Table | None:
    """How well attribution foretold exact patches."""
    if explained.comparison is None:
        return None
    rows = tuple(
        (
            one.direction,
            one.places,
            one.rank_correlation,
            one.rank_correlation_random,
            one.mean_absolute_error,
            one.mean_absolute_effect,
            f"{one.missed} of {one.looked_at}",
            one.false_negative_rate,
        )
        for one in explained.comparison.agreement
    )
    columns: Columns = (
        ("direction", "text"),
        ("places", "count"),
        ("rank correlation", "number"),
        ("of the random share", "number"),
        ("mean error", "number"),
        ("mean effect", "number"),
        ("missed", "text"),
        ("false negatives, %", "share"),
    )
    choice = explained.comparison.choice
    caption = (
        f"Attribution against exact patches of {len(choice.top)} places that it calls strongest and {len(choice.random)} by chance, "
        f"of {choice.candidates}. Missed: of the random ones, those exactly stronger than the weakest of the top."
    )
    return _table("agreement", caption, columns, rows)


def kinds_of(explained: Explained) -> list[tuple[str, str]]:
    """Direction and method of what there is."""
    return list(dict.fromkeys((one.direction, one.method) for one in explained.summary.sites))


def of_items(explained: Explained, items: str) -> Iterator[SiteSummary]:
    """Figures over a group of contrasts; single positions are too many to be shown."""
    return (one for one in explained.summary.sites if one.items == items and not one.role.startswith("@"))


def components(summaries: Iterable[SiteSummary]) -> list[SiteSummary]:
    """Those of heads and parts of layers: a residual carries all that lies below it, and would stand before them all."""
    found = list(summaries)
    return [one for one in found if parse_site(one.site).kind not in _CARRYING] or found


def _place(one: SiteSummary) -> str:
    return one.site if one.role == "all" else f"{one.site} at {one.role}"


def _table(name: str, caption: str, columns: Columns, rows: tuple[tuple[Value, ...], ...]) -> Table:
    return Table(name, caption, tuple(Column(*one) for one in columns), rows)
