"""An analysis as tables, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isclose

from constraintsuite.core.records.figures import MISSING, show
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table, columns, tabulate
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.effects.summary import CORRECT, EVERY, FAILED, Baseline, SiteSummary, components
from constraintsuite.mechanism.explain.folder import Explained
from constraintsuite.mechanism.sites import parse_site

SHOWN, HEADS = 12, 8
"""Rows of the table of the strongest places, and of the table of heads."""
_ROUNDING = 1e-4  # relative difference below which two effects count as the same


def baseline_table(explained: Explained) -> Table:
    """The margins of the model before anything is patched."""
    caption = "Margins in logits of the studied contrasts and of their controls."
    if any(_is_chosen(one) for one in explained.summary.baselines):
        caption += f" The sign of the clean margin decides which contrasts are called {CORRECT} and {FAILED}."
    rows = tuple((one.items, one.clean_margin, one.corrupt_margin, _share(one)) for one in explained.summary.baselines)
    numbers = columns("number", "clean margin", "corrupt margin")
    return Table("baselines", caption, (Column("contrasts"), *numbers, Column("clean above 0", "share")), rows)


def strongest_table(explained: Explained, direction: str, method: str, items: str = EVERY, count: int = SHOWN) -> Table:
    """The places with the largest absolute mean effect."""
    places = named_places(components(effects_of(explained, direction, method, items)))
    order = sorted(places, key=lambda place: -_strength(place[1]))[:count]
    return _effect_table("place", order, len(places), direction, method, items)


def heads_table(explained: Explained, direction: str, method: str, items: str = EVERY, count: int = HEADS) -> Table:
    """The heads with the largest effect at all positions, and the role at which each has most of its effect.

    The table is empty if all sites are heads, since the table of the strongest places then lists them.
    """
    mine = effects_of(explained, direction, method, items)
    heads = [one for one in mine if parse_site(one.site).kind == "head"]
    shown = [] if len(heads) == len(components(mine)) else [one for one in heads if one.role == ALL]
    order = sorted(shown, key=lambda one: -_strength(one))[:count]
    table = _effect_table("head", [(one.site, one) for one in order], len(shown), direction, method, items)
    if explained.comparison is not None or all(one.role == ALL for one in heads):
        return table  # the places that a guide chose may lack the role that matters most
    most = tuple((*row, _most_at(one, heads)) for row, one in zip(table.rows, order, strict=True))
    return replace(table, columns=(*table.columns, Column("most at")), rows=most)


def _effect_table(
    kind: str, places: Sequence[tuple[str, SiteSummary]], total: int, direction: str, method: str, items: str
) -> Table:
    whose = "" if items == EVERY else f" ({items})"
    name = f"{'heads' if kind == 'head' else 'strongest'}_{method}_{direction}_{items.replace(' ', '_')}"
    caption = f"{method}, {direction}{whose}: the {len(places)} {kind}s with the largest effect, of {total}. {_counting(method)}"
    lost = "lost" if method.startswith("ablation") else "recovered"
    heads = (*columns("number", "effect", lost), Column("flips", "share"), Column("plain relevance", "number"))
    rows = tuple((place, one.effect, one.recovered, one.flips, one.aside) for place, one in places)
    return Table(name, caption, (Column(kind), *heads), rows)


def every_table(explained: Explained) -> Table:
    """All figures of all sites and groups, for programs."""
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
    """The checks that were made when the model was loaded."""
    rows = tuple((one.name, one.status, one.difference, one.detail) for one in explained.model.invariants)
    heads = (*columns("text", "invariant", "status"), Column("largest difference", "number"), Column("detail"))
    return Table("invariants", f"Checked when {explained.model.name} was loaded.", heads, rows)


def agreement_table(explained: Explained) -> Table | None:
    """How well attribution predicted exact patches; None if nothing was compared."""
    if explained.comparison is None:
        return None
    choice = explained.comparison.choice
    caption = (
        f"Attribution compared with exact patches at the {len(choice.top)} places that it ranks strongest and at {len(choice.random)} "
        f"random ones, of {choice.candidates}. Rank correlations are over all of these and over the random places alone. "
        "Missed: random places with a larger exact effect than the weakest selected place in that direction. The false negative "
        "rate is estimated from them."
    )
    return tabulate(
        "agreement",
        caption,
        explained.comparison.agreement,
        {
            "direction": ("text", lambda one: one.direction),
            "contrasts": ("count", lambda one: one.contrasts),
            "places": ("count", lambda one: one.places),
            "Spearman": ("number", lambda one: one.rank_correlation),
            "random": ("number", lambda one: one.rank_correlation_random),
            "error": ("number", lambda one: one.mean_absolute_error),
            "effect": ("number", lambda one: one.mean_absolute_effect),
            "missed": ("text", lambda one: f"{one.missed} of {one.looked_at}"),
            "false neg.": ("share", lambda one: one.false_negative_rate),
        },
    )


def kinds_of(explained: Explained) -> list[tuple[str, str]]:
    """The pairs of direction and method that the analysis holds."""
    return list(dict.fromkeys((one.direction, one.method) for one in explained.summary.sites))


def effects_of(explained: Explained, direction: str, method: str, items: str) -> list[SiteSummary]:
    """The figures of a direction and method over a group of contrasts, without single positions."""
    wanted = (direction, method, items)
    own = (one for one in explained.summary.sites if (one.direction, one.method, one.items) == wanted)
    return [one for one in own if not one.role.startswith("@")]


def named_places(summaries: Sequence[SiteSummary]) -> list[tuple[str, SiteSummary]]:
    """Each place with its name. A role that has all of its site's effect is named with the site and not listed again."""
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
    """The share of clean margins above 0; without an interval in groups that are defined by that sign."""
    return Interval(one.correct.value, None, None, one.correct.n) if _is_chosen(one) else one.correct


def _is_chosen(one: Baseline) -> bool:
    return one.items.split()[-1] in (CORRECT, FAILED)


def _strength(one: SiteSummary) -> float:
    return abs(one.effect.value or 0.0)


def _counting(method: str) -> str:
    """Sentences on the unit and the n of the figures of a method."""
    about = "Effects in logits; n counts contrasts, whose clusters are resampled. There is no correction for the number of places."
    estimates = " All figures are estimates, flips too." if method == "attribution" else ""
    ablated = method.startswith("ablation")
    can_flip = "whose margin is above 0" if ablated else "whose clean and corrupt margins differ in sign"
    return f"{about}{estimates} Only contrasts {can_flip} can flip: the n of flips counts these."


def _most_at(head: SiteSummary, roles: Iterable[SiteSummary]) -> str:
    """The role at which a head has its largest effect, with that effect."""
    there = [one for one in roles if one.site == head.site and one.role != ALL]
    most = max(there, key=_strength, default=None)
    return f"{most.role} {show(most.effect.value, 'number').value}" if most is not None else MISSING
