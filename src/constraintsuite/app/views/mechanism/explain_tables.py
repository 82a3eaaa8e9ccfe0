"""An analysis as tables: the same for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isclose

from constraintsuite.core.records.figures import MISSING, CellValue, show
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.effects.summary import CORRECT, EVERY, FAILED, Baseline, SiteSummary, components
from constraintsuite.mechanism.explain.folder import Explained
from constraintsuite.mechanism.sites import parse_site

SHOWN, HEADS = 12, 8
"""Of the strongest places, and of heads."""
_ROUNDING = 1e-4  # by which a share of an effect may differ from all of it


def baseline_table(explained: Explained) -> Table:
    """How the model does before anything is patched."""
    rows = tuple((one.items, one.clean_margin, one.corrupt_margin, _share(one)) for one in explained.summary.baselines)
    numbers = columns("number", "clean margin", "corrupt margin")
    caption = "Margins in logits, of contrasts that are studied and of their controls."
    if any(_is_chosen(one) for one in explained.summary.baselines):
        caption += f" Those called {CORRECT} and {FAILED} are told apart by the sign of their clean margin."
    return Table("baselines", caption, (Column("contrasts"), *numbers, Column("clean above 0", "share")), rows)


def strongest_table(explained: Explained, direction: str, method: str, items: str = EVERY, count: int = SHOWN) -> Table:
    """The places with the largest mean effect, whichever way."""
    mine = named_places(components(_mine(explained, direction, method, items)))
    order = sorted(mine, key=lambda place: -_strength(place[1]))[:count]
    caption = f"{method}, {direction}{_whose(items)}: the {len(order)} places with the largest effect of {len(mine)}."
    rows = tuple(_row(name, one) for name, one in order)
    name, caption = _named("strongest", direction, method, items), f"{caption} {_counting(method)}"
    return Table(name, caption, (Column("place"), *_figure_columns(method)), rows)


def heads_table(explained: Explained, direction: str, method: str, items: str = EVERY, count: int = HEADS) -> Table:
    """The heads with the largest effect at all positions, and at which role each has most of it.

    It is empty where there is nothing but heads, which are the strongest places then.
    """
    mine = _mine(explained, direction, method, items)
    heads = [one for one in mine if parse_site(one.site).kind == "head"]
    shown = [] if len(heads) == len(components(mine)) else [one for one in heads if one.role == ALL]
    order = sorted(shown, key=lambda one: -_strength(one))[:count]
    caption = f"{method}, {direction}{_whose(items)}: the {len(order)} strongest heads of {len(shown)}."
    rows = tuple(_row(one.site, one) for one in order)
    name, caption = _named("heads", direction, method, items), f"{caption} {_counting(method)}"
    table = Table(name, caption, (Column("head"), *_figure_columns(method)), rows)
    if explained.comparison is not None or all(one.role == ALL for one in heads):
        return table  # what a guide chose need not hold the role that matters most
    most = tuple((*row, _most_at(one, heads)) for row, one in zip(table.rows, order, strict=True))
    return replace(table, columns=(*table.columns, Column("most at")), rows=most)


def every_table(explained: Explained) -> Table:
    """Every figure of every site and group, for programs."""
    rows = tuple(
        (one.site, one.role, one.items, one.direction, one.method, one.effect, one.recovered, one.flips, one.aside)
        for one in explained.summary.sites
    )
    heads = (
        *columns("text", "site", "role", "items", "direction", "method"),
        *columns("number", "effect", "recovered", "flips", "aside"),
    )
    return Table("effects", "All figures.", heads, rows, long=True)


def invariant_table(explained: Explained) -> Table:
    """What was checked of the model when it was loaded."""
    rows = tuple((one.name, one.status, one.difference, one.detail) for one in explained.model.invariants)
    heads = (*columns("text", "invariant", "status"), Column("largest difference", "number"), Column("detail"))
    return Table("invariants", f"Checked when {explained.model.name} was loaded.", heads, rows)


def agreement_table(explained: Explained) -> Table | None:
    """How well attribution predicted exact patches."""
    if explained.comparison is None:
        return None
    rows = tuple(
        (
            one.direction,
            one.contrasts,
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
    heads = (
        Column("direction"),
        *columns("count", "contrasts", "places"),
        *columns("number", "Spearman", "random", "error", "effect"),
        Column("missed"),
        Column("false neg.", "share"),
    )
    choice = explained.comparison.choice
    caption = (
        f"Attribution against exact patches of {len(choice.top)} places that it calls strongest and {len(choice.random)} by chance, "
        f"of {choice.candidates}: correlation of ranks, the same over the random ones alone, mean absolute error and effect. "
        "Missed: random ones that are exactly stronger than the weakest of as many by that direction's estimates alone; false "
        "negatives are estimated from them."
    )
    return Table("agreement", caption, heads, rows)


def kinds_of(explained: Explained) -> list[tuple[str, str]]:
    """Direction and method of what there is."""
    return list(dict.fromkeys((one.direction, one.method) for one in explained.summary.sites))


def of_items(explained: Explained, items: str) -> Iterator[SiteSummary]:
    """Figures over a group of contrasts; single positions are too many to be shown."""
    return (one for one in explained.summary.sites if one.items == items and not one.role.startswith("@"))


def named_places(summaries: Sequence[SiteSummary]) -> list[tuple[str, SiteSummary]]:
    """Each place once, under its name: a role that has all of a site's effect is not listed beside the site as a whole."""
    whole = {one.site: one for one in summaries if one.role == ALL}
    only = {one.site: one.role for one in summaries if one.role != ALL and _same(one, whole.get(one.site))}
    found = []
    for one in summaries:
        if one.role == ALL:
            found.append((f"{one.site} ({only[one.site]} only)" if one.site in only else one.site, one))
        elif one.role != only.get(one.site):
            found.append((f"{one.site} at {one.role}", one))
    return found


def _same(one: SiteSummary, other: SiteSummary | None) -> bool:
    if other is None or not one.effect.value or other.effect.value is None:
        return False
    return one.effect.n == other.effect.n and isclose(one.effect.value, other.effect.value, rel_tol=_ROUNDING)


def _share(one: Baseline) -> Interval:
    """Without an interval where it is true by definition."""
    return Interval(one.correct.value, None, None, one.correct.n) if _is_chosen(one) else one.correct


def _is_chosen(one: Baseline) -> bool:
    return one.items.split()[-1] in (CORRECT, FAILED)


def _mine(explained: Explained, direction: str, method: str, items: str) -> list[SiteSummary]:
    return [one for one in of_items(explained, items) if (one.direction, one.method) == (direction, method)]


def _strength(one: SiteSummary) -> float:
    return abs(one.effect.value or 0.0)


def _whose(items: str) -> str:
    return "" if items == EVERY else f" ({items})"


def _named(kind: str, direction: str, method: str, items: str) -> str:
    return f"{kind}_{method}_{direction}_{items.replace(' ', '_')}"


def _counting(method: str) -> str:
    """What the figures of a table are, and what n is where it is another."""
    said = "Effects in logits; n counts contrasts, whose clusters are resampled. Nothing here is corrected for having looked at so many."
    estimates = " All are estimates, flips too." if method == "attribution" else ""
    open_ = (
        "whose margin is above 0" if method.startswith("ablation") else "whose clean and corrupt margins differ in sign"
    )
    return f"{said}{estimates} Only contrasts {open_} can flip: the n of flips counts these."


def _figure_columns(method: str) -> tuple[Column, ...]:
    lost = "lost" if method.startswith("ablation") else "recovered"
    return (*columns("number", "effect", lost), Column("flips", "share"), Column("plain relevance", "number"))


def _row(name: str, one: SiteSummary) -> tuple[CellValue, ...]:
    return name, one.effect, one.recovered, one.flips, one.aside


def _most_at(head: SiteSummary, roles: Iterable[SiteSummary]) -> str:
    """The role at which a head's effect is largest, with the effect there."""
    there = [one for one in roles if one.site == head.site and one.role != ALL]
    most = max(there, key=_strength, default=None)
    return f"{most.role} {show(most.effect.value, 'number').value}" if most is not None else MISSING
