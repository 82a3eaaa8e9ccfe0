"""A circuit as tables and sentences, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.core.records.figures import percent, say, show
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.mechanism.circuits.records import FEWEST_RANDOM, ChanceBand, CircuitReport

_RANKED = 15
_FEW = 8  # contrasts of a half
_CONTROLS = {"": "studied", "nonflip": "non-flip", "entity": "another thing"}


def circuit_tables(report: CircuitReport) -> Iterator[Table]:
    """The curve over sizes, the members, the random circuits, the controls if there are any, and the ranking of sites."""
    caption = (
        f"Circuits of the strongest sites of {report.sites} heads and MLPs; all other sites are ablated ({report.ablation}) at all "
        "positions. Faithfulness is a ratio of means on the held-out half; “where found” is the half on which sites were ranked."
    )
    shares = columns("share", "where found", "faithfulness")
    heads = (Column("sites", "count"), *shares, Column("random, 5 to 95 %"), Column("plain relevance", "number"))
    curve = [(one.size, one.find, one.check, _between(one.chance), one.aside) for one in report.curve]
    yield Table("curve", caption, heads, tuple(curve))
    caption = f"The sites of the circuit under {report.ablation} ablation, as shares of the total margin."
    heads = (Column("site"), Column("lost without it", "share"), Column("needed"))
    members = [(one.site, one.drop, "yes" if one.needed else "no") for one in report.members]
    yield Table("members", caption, heads, tuple(members))
    counts = columns("count", "run", "there are")
    figures = (Column("less faithful", "share"), Column("p", "p"), Column("faithfulness, 5 to 95 %"))
    chance = [
        (f"as many of each {one.match}", one.circuits, one.possible, one.below, one.p, _between(one.faithfulness))
        for one in report.chance
    ]
    caption = "Random circuits of the same size on the same contrasts."
    yield Table("chance", caption, (Column("random circuits"), *counts, *figures), tuple(chance))
    if report.controls:
        yield _control_table(report)
    yield _ranking_table(report)


def _control_table(report: CircuitReport) -> Table:
    """The effect of the circuit on contrasts where it should have none."""
    rows = [
        (_CONTROLS.get(one.control, one.control), one.total, one.carried, one.size, one.difference)
        for one in report.controls
    ]
    numbers = columns("number", "total margin", "carried", "size of what it does", "studied less this")
    caption = (
        "The same circuit on controls, in logits. In an idiom the word excludes nothing, a non-flip says the same in other words, "
        "and “another thing” asks for something else."
    )
    return Table("controls", caption, (Column("contrasts"), *numbers), tuple(rows))


def _ranking_table(report: CircuitReport) -> Table:
    """The strongest sites, with p-values corrected for all sites."""
    ranking = report.ranking
    rows = [(one.site, one.effect, one.p, one.effect_check, one.p_check) for one in ranking.sites[:_RANKED]]
    found = (Column("effect where found", "number"), Column("p", "p"))
    checked = (Column("effect on the other half", "number"), Column("p there", "p"))
    caption = (
        f"{ranking.method}, {ranking.direction}: the first {len(rows)} of {report.sites} sites. p is corrected "
        "for all sites (largest |t|, signs exchanged by cluster). Split-half reliability: Spearman "
        f"{show(ranking.reliability, 'number')}."
    )
    return Table("ranking", caption, (Column("site"), *found, *checked), tuple(rows))


def verdict_lines(report: CircuitReport) -> Iterator[str]:
    """One sentence per condition that a circuit must meet, each with its answer, then the conclusion."""
    verdict = report.verdict
    if min(report.contrasts) < _FEW:
        find, check = report.contrasts
        yield f"The circuit was found on only {find} contrasts and checked on {check}. Fewer than {_FEW} allow hardly any conclusion."
    yield _faithful(report)
    total = show(report.total, "number")
    yield f"{_answer(verdict.behaviour)}: the model tells clean from corrupt runs (p {say(report.behaviour_p, 'p')})."
    yield f"{_answer(verdict.total)}: the total margin, {total.value} ({total.bounds}), is above 0."
    yield f"{_answer(verdict.reached)}: the circuit is as faithful as requested, on the half on which it was found."
    yield f"{_answer(verdict.sites)}: the effect of a member stands out among all sites, on both halves."
    yield f"{_answer(verdict.chance)}: {_chance(report)}."
    if verdict.random_models is not None and report.random_models is not None:
        models = report.random_models
        yield (
            f"{_answer(verdict.random_models)}: the model stands out from {models.models} untrained models (behaviour p "
            f"{say(models.behaviour_p, 'p')}, strongest site p {say(models.strongest_p, 'p')})."
        )
    yield "A circuit is found." if verdict.found else "No circuit is found: not all of the above holds."


def _faithful(report: CircuitReport) -> str:
    members = f"{len(report.circuit)} of {report.sites} sites ({', '.join(report.circuit)})"
    if report.faithfulness.value is None:
        return f"{members}: their faithfulness is unknown, since under {report.ablation} ablation the total margin may be 0."
    figure = show(report.faithfulness, "share")
    bounds = f" ({figure.bounds})" if figure.bounds else ""
    return f"{members}: their faithfulness is {figure.value} %{bounds} under {report.ablation} ablation."


def _between(band: ChanceBand | None) -> str | None:
    """The range that holds nine in ten random circuits."""
    if band is None:
        return None
    low, high = (percent(round(end, 3) + 0.0) for end in (band.low, band.high))  # no "−0.0"
    return f"{low.removesuffix(' %')} to {high}"


def _chance(report: CircuitReport) -> str:
    if report.verdict.chance is None:
        most = max(one.possible for one in report.chance)
        return f"only {most} other circuits of that kind exist, and a p below .05 needs {FEWEST_RANDOM}"
    shown = ", ".join(f"by {one.match} p {say(one.p, 'p')}" for one in report.chance if one.p is not None)
    return f"the circuit is more faithful than random circuits ({shown or 'no p'}; only kinds with {FEWEST_RANDOM} or more count)"


def _answer(holds: bool | None) -> str:
    return "Cannot say" if holds is None else "Yes" if holds else "No"
