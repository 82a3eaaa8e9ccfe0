"""A circuit as tables and sentences: the same for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.mechanism.circuits.records import FEWEST_RANDOM, ChanceBand, CircuitReport
from constraintsuite.records.figures import CellValue, ColumnKind, say, show
from constraintsuite.records.tables import Column, Table

_RANKED = 15
_FEW = 8  # contrasts of a half
_CONTROLS = {
    "": "studied",
    "idiom": "idiom",
    "nonflip": "non-flip",
    "entity": "another thing",
}


def circuit_tables(report: CircuitReport) -> Iterator[Table]:
    """The curve, the members, the ranking, chance and controls."""
    yield curve_table(report)
    yield member_table(report)
    yield chance_table(report)
    if report.controls:
        yield control_table(report)
    yield ranking_table(report)


def curve_table(report: CircuitReport) -> Table:
    """Faithfulness by size."""
    rows = tuple(
        (
            point.size,
            point.find,
            point.check,
            _between(point.chance),
            point.aside,
        )
        for point in report.curve
    )
    columns: Sequence[tuple[str, ColumnKind]] = (
        ("sites", "count"),
        ("where found", "number"),
        ("faithfulness", "number"),
        ("random, 5 to 95 %", "text"),
        ("plain relevance", "number"),
    )
    caption = (
        f"The first so many of {report.sites} heads and MLPs kept, all others ablated ({report.ablation}), at all positions. "
        "Faithfulness is a ratio of means on the half that decided nothing, and beside it on the half where sites were ranked."
    )
    return _table("curve", caption, columns, rows)


def member_table(report: CircuitReport) -> Table:
    """What each member is worth."""
    rows = tuple((one.site, one.drop, "yes" if one.needed else "no") for one in report.members)
    columns: Sequence[tuple[str, ColumnKind]] = (("site", "text"), ("lost without it", "number"), ("needed", "text"))
    return _table("members", f"The circuit, {report.ablation} ablation; shares of the whole margin.", columns, rows)


def chance_table(report: CircuitReport) -> Table:
    """Random circuits of the same size."""
    rows = tuple(
        (
            f"as many of each {one.match}",
            one.circuits,
            one.possible,
            one.below,
            one.p,
            _between(one.faithfulness),
        )
        for one in report.chance
    )
    columns: Sequence[tuple[str, ColumnKind]] = (
        ("random circuits", "text"),
        ("run", "count"),
        ("there are", "count"),
        ("less faithful", "share"),
        ("p", "p"),
        ("faithfulness, 5 to 95 %", "text"),
    )
    return _table("chance", "Random circuits of the same size on the same contrasts.", columns, rows)


def control_table(report: CircuitReport) -> Table:
    """The same circuit where it should have nothing to do."""
    rows = tuple(
        (_CONTROLS.get(one.control, one.control), one.total, one.carried, one.size, one.difference)
        for one in report.controls
    )
    columns: Sequence[tuple[str, ColumnKind]] = (
        ("contrasts", "text"),
        ("whole margin", "number"),
        ("carried", "number"),
        ("size of what it does", "number"),
        ("studied less this", "number"),
    )
    caption = (
        "The same circuit on controls, in logits. In an idiom the word excludes nothing, a non-flip says the same in other words, "
        "and “another thing” asks for something else."
    )
    return _table("controls", caption, columns, rows)


def ranking_table(report: CircuitReport) -> Table:
    """The strongest sites with p-values that are corrected for all."""
    rows = tuple((one.site, one.effect, one.p, one.effect_check, one.p_check) for one in report.ranking.sites[:_RANKED])
    columns: Sequence[tuple[str, ColumnKind]] = (
        ("site", "text"),
        ("effect where found", "number"),
        ("p", "p"),
        ("effect on the other half", "number"),
        ("p there", "p"),
    )
    caption = (
        f"{report.ranking.method}, {report.ranking.direction}: the first {len(rows)} of {report.sites} sites. p is corrected "
        "for all sites (largest |t|, signs exchanged by cluster). Split-half reliability: Spearman "
        f"{show(report.ranking.reliability, 'number')}."
    )
    return _table("ranking", caption, columns, rows)


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
    figure = show(report.faithfulness, "number")
    members = f"{len(report.circuit)} of {report.sites} sites ({', '.join(report.circuit)})"
    if report.faithfulness.value is None:
        return f"How faithful {members} are cannot be said: under {report.ablation} ablation the whole margin is not told from 0."
    bounds = f" ({figure.bounds})" if figure.bounds else ""
    return f"{members}: their faithfulness is {figure.value}{bounds} under {report.ablation} ablation."


def _between(band: ChanceBand | None) -> str | None:
    """Where nine in ten of them lie."""
    if band is None:
        return None
    low, high = (f"{round(end, 2) + 0.0:.2f}".replace("-", "−") for end in (band.low, band.high))  # no "−0.00"
    return f"{low} to {high}"


def _chance(report: CircuitReport) -> str:
    if report.verdict.chance is None:
        most = max(one.possible for one in report.chance)
        return f"only {most} other circuits of that kind exist, and p below .05 takes {FEWEST_RANDOM}"
    shown = ", ".join(f"by {one.match} p {say(one.p, 'p')}" for one in report.chance if one.p is not None)
    return f"more faithful than random circuits ({shown or 'no p'}; those of which there are {FEWEST_RANDOM} or more count)"


def _says(holds: bool | None) -> str:
    return "Cannot say" if holds is None else "Yes" if holds else "No"


def _table(
    name: str, caption: str, columns: Sequence[tuple[str, ColumnKind]], rows: tuple[tuple[CellValue, ...], ...]
) -> Table:
    return Table(name, caption, tuple(Column(*one) for one in columns), rows)
