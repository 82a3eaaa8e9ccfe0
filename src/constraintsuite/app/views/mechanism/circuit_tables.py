"""A circuit as tables and sentences, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.core.records.figures import percent, say, show
from constraintsuite.core.records.tables import Table, tabulate
from constraintsuite.mechanism.circuits.records import FEWEST_RANDOM, ChanceBand, CircuitReport

_RANKED = 15
_FEW = 8  # contrasts of a half
_CONTROLS = {"": "studied", "nonflip": "non-flip", "entity": "another thing"}


def circuit_tables(report: CircuitReport) -> Iterator[Table]:
    """The curve over sizes, the members, the random circuits, the controls if there are any, and the ranking of sites."""
    ranking = report.ranking
    yield tabulate(
        "curve",
        f"Circuits of the strongest sites of {report.sites} heads and MLPs; all other sites are ablated ({report.ablation}) at all "
        "positions. Faithfulness is a ratio of means on the held-out half; “where found” is the half on which sites were ranked.",
        report.curve,
        {
            "sites": ("count", lambda one: one.size),
            "where found": ("share", lambda one: one.find),
            "faithfulness": ("share", lambda one: one.check),
            "random, 5 to 95 %": ("text", lambda one: _between(one.chance)),
            "plain relevance": ("number", lambda one: one.aside),
        },
    )
    yield tabulate(
        "members",
        f"The sites of the circuit under {report.ablation} ablation, as shares of the whole margin.",
        report.members,
        {
            "site": ("text", lambda one: one.site),
            "lost without it": ("share", lambda one: one.drop),
            "needed": ("text", lambda one: "yes" if one.needed else "no"),
        },
    )
    yield tabulate(
        "chance",
        "Random circuits of the same size on the same contrasts.",
        report.chance,
        {
            "random circuits": ("text", lambda one: f"as many of each {one.match}"),
            "run": ("count", lambda one: one.circuits),
            "there are": ("count", lambda one: one.possible),
            "less faithful": ("share", lambda one: one.below),
            "p": ("p", lambda one: one.p),
            "faithfulness, 5 to 95 %": ("text", lambda one: _between(one.faithfulness)),
        },
    )
    if report.controls:
        yield tabulate(
            "controls",
            "The same circuit on controls, in logits. In an idiom the word excludes nothing, a non-flip says the same in other words, "
            "and “another thing” asks for something else.",
            report.controls,
            {
                "contrasts": ("text", lambda one: _CONTROLS.get(one.control, one.control)),
                "whole margin": ("number", lambda one: one.total),
                "carried": ("number", lambda one: one.carried),
                "size of what it does": ("number", lambda one: one.size),
                "studied less this": ("number", lambda one: one.difference),
            },
        )
    shown = ranking.sites[:_RANKED]
    yield tabulate(
        "ranking",
        f"{ranking.method}, {ranking.direction}: the first {len(shown)} of {report.sites} sites. p is corrected "
        "for all sites (largest |t|, signs exchanged by cluster). Split-half reliability: Spearman "
        f"{show(ranking.reliability, 'number')}.",
        shown,
        {
            "site": ("text", lambda one: one.site),
            "effect where found": ("number", lambda one: one.effect),
            "p": ("p", lambda one: one.p),
            "effect on the other half": ("number", lambda one: one.effect_check),
            "p there": ("p", lambda one: one.p_check),
        },
    )


def verdict_lines(report: CircuitReport) -> Iterator[str]:
    """One sentence per condition that a circuit must meet, each with its answer, then the conclusion."""
    verdict = report.verdict
    if min(report.contrasts) < _FEW:
        find, check = report.contrasts
        yield f"The circuit was found on only {find} contrasts and checked on {check}. Fewer than {_FEW} allow hardly any conclusion."
    yield _faithful(report)
    whole = show(report.total, "number")
    yield f"{_answer(verdict.behaviour)}: the model tells clean from corrupt runs (p {say(report.behaviour_p, 'p')})."
    yield f"{_answer(verdict.total)}: the whole margin, {whole.value} ({whole.bounds}), lies above 0."
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
        return f"{members}: their faithfulness is unknown, since under {report.ablation} ablation the whole margin may be 0."
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
