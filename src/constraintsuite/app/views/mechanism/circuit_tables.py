"""A circuit as tables and sentences: the same for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.core.records.figures import percent, say, show
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.mechanism.circuits.records import FEWEST_RANDOM, ChanceBand, CircuitReport

_RANKED = 15
_FEW = 8  # contrasts of a half
_CONTROLS = {"": "studied", "nonflip": "non-flip", "entity": "another thing"}


def circuit_tables(report: CircuitReport) -> Iterator[Table]:
    """The curve of sizes, the members, random circuits, controls where there are any, and the ranking of sites."""
    caption = (
        f"The first so many of {report.sites} heads and MLPs kept, all others ablated ({report.ablation}), at all positions. "
        "Faithfulness is a ratio of means on the half that decided nothing, and beside it on the half where sites were ranked."
    )
    heads = (
        Column("sites", "count"),
        *columns("share", "where found", "faithfulness"),
        Column("random, 5 to 95 %"),
        Column("plain relevance", "number"),
    )
    curve = [(one.size, one.find, one.check, _between(one.chance), one.aside) for one in report.curve]
    yield Table("curve", caption, heads, tuple(curve))
    caption = f"The circuit, {report.ablation} ablation; shares of the whole margin."
    heads = (Column("site"), Column("lost without it", "share"), Column("needed"))
    members = [(one.site, one.drop, "yes" if one.needed else "no") for one in report.members]
    yield Table("members", caption, heads, tuple(members))
    yield _chance_table(report)
    if report.controls:
        yield _control_table(report)
    yield _ranking_table(report)


def _chance_table(report: CircuitReport) -> Table:
    rows = [
        (f"as many of each {one.match}", one.circuits, one.possible, one.below, one.p, _between(one.faithfulness))
        for one in report.chance
    ]
    heads = (
        Column("random circuits"),
        *columns("count", "run", "there are"),
        Column("less faithful", "share"),
        Column("p", "p"),
        Column("faithfulness, 5 to 95 %"),
    )
    return Table("chance", "Random circuits of the same size on the same contrasts.", heads, tuple(rows))


def _control_table(report: CircuitReport) -> Table:
    """The same circuit where it should have nothing to do."""
    rows = [
        (_CONTROLS.get(one.control, one.control), one.total, one.carried, one.size, one.difference)
        for one in report.controls
    ]
    numbers = columns("number", "whole margin", "carried", "size of what it does", "studied less this")
    caption = (
        "The same circuit on controls, in logits. In an idiom the word excludes nothing, a non-flip says the same in other words, "
        "and “another thing” asks for something else."
    )
    return Table("controls", caption, (Column("contrasts"), *numbers), tuple(rows))


def _ranking_table(report: CircuitReport) -> Table:
    """The strongest sites with p-values that are corrected for all."""
    ranking = report.ranking
    rows = [(one.site, one.effect, one.p, one.effect_check, one.p_check) for one in ranking.sites[:_RANKED]]
    heads = (
        Column("site"),
        Column("effect where found", "number"),
        Column("p", "p"),
        Column("effect on the other half", "number"),
        Column("p there", "p"),
    )
    caption = (
        f"{ranking.method}, {ranking.direction}: the first {len(rows)} of {report.sites} sites. p is corrected "
        "for all sites (largest |t|, signs exchanged by cluster). Split-half reliability: Spearman "
        f"{show(ranking.reliability, 'number')}."
    )
    return Table("ranking", caption, heads, tuple(rows))


def verdict_lines(report: CircuitReport) -> Iterator[str]:
    """What holds, and what does not."""
    said = report.verdict
    if min(report.contrasts) < _FEW:
        find, check = report.contrasts
        yield f"Only {find} contrasts found the circuit and {check} judged it: with fewer than {_FEW}, hardly anything can be said."
    yield _faithful(report)
    whole = show(report.total, "number")
    yield f"{_says(said.behaviour)}: the model tells clean from corrupt runs (p {say(report.behaviour_p, 'p')})."
    yield f"{_says(said.total)}: the whole margin, {whole.value} ({whole.bounds}), lies above 0."
    yield f"{_says(said.reached)}: as faithful as was asked for, on the half where it was looked for."
    yield f"{_says(said.sites)}: a member's effect is no chance among all sites, on both halves."
    yield f"{_says(said.chance)}: {_chance(report)}."
    if said.random_models is not None and report.random_models is not None:
        models = report.random_models
        yield (
            f"{_says(said.random_models)}: stands out from {models.models} untrained models (behaviour p "
            f"{say(models.behaviour_p, 'p')}, strongest site p {say(models.strongest_p, 'p')})."
        )
    yield "A circuit is found." if said.found else "No circuit is found: not all of the above holds."


def _faithful(report: CircuitReport) -> str:
    members = f"{len(report.circuit)} of {report.sites} sites ({', '.join(report.circuit)})"
    if report.faithfulness.value is None:
        return f"How faithful {members} are cannot be said: under {report.ablation} ablation the whole margin cannot be told from 0."
    figure = show(report.faithfulness, "share")
    bounds = f" ({figure.bounds})" if figure.bounds else ""
    return f"{members}: their faithfulness is {figure.value} %{bounds} under {report.ablation} ablation."


def _between(band: ChanceBand | None) -> str | None:
    """Where nine in ten random circuits lie."""
    if band is None:
        return None
    low, high = (percent(round(end, 3) + 0.0) for end in (band.low, band.high))  # no "−0.0"
    return f"{low.removesuffix(' %')} to {high}"


def _chance(report: CircuitReport) -> str:
    if report.verdict.chance is None:
        most = max(one.possible for one in report.chance)
        return f"only {most} other circuits of that kind exist, and p below .05 takes {FEWEST_RANDOM}"
    shown = ", ".join(f"by {one.match} p {say(one.p, 'p')}" for one in report.chance if one.p is not None)
    return f"more faithful than random circuits ({shown or 'no p'}; those of which there are {FEWEST_RANDOM} or more count)"


def _says(holds: bool | None) -> str:
    return "Cannot say" if holds is None else "Yes" if holds else "No"
