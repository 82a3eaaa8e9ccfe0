"""Search a circuit: rank the sites by their effects on one half of the contrasts, and test the circuit on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.significance import sign_flip
from constraintsuite.mechanism.circuits import quality
from constraintsuite.mechanism.circuits.plan import refuse_none, search_steps
from constraintsuite.mechanism.circuits.ranking import SiteEffects, compare_untrained, rank_sites
from constraintsuite.mechanism.circuits.records import (
    FEWEST_RANDOM,
    ChanceCircuits,
    CircuitReport,
    CircuitSettings,
    CircuitVerdict,
    CurvePoint,
    RandomModels,
    RankedSite,
)
from constraintsuite.mechanism.circuits.runner import CircuitRunner, asked_sizes
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf, ControlKind
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.sites import parse_site

LEVEL = 0.05
Groups = dict[tuple[ControlKind, ContrastHalf], list[TokenContrast]]


def search_circuit(runner: CircuitRunner, effects: SiteEffects, settings: CircuitSettings) -> CircuitReport:
    """Find a circuit on one half of the main contrasts, and test it on the other half and on the controls."""
    asked, seed = runner.usable, settings.seed
    ranking = rank_sites(effects, np.random.default_rng(seed))
    order = [parse_site(ranked.site) for ranked in ranking.sites]
    sizes = asked_sizes(len(order), settings.size)
    groups = _groups(asked, settings)
    halves = [groups.get(("", half), []) for half in HALVES]
    for half, some in zip(HALVES, halves, strict=True):
        refuse_none(len(some), half, settings)
    others = _controls(groups)

    def step(title: str, size: int = 1) -> AbstractContextManager[None]:
        of_halves, of_controls = ([len(some) for some in part] for part in (halves, others.values()))
        calls = search_steps(len(sizes), of_halves, of_controls, settings, size)[title]
        return runner.progress.step(title, sum(call.runs for call in calls))

    with step("margins"):
        find, check = (quality.make_evaluator(runner, half, seed) for half in halves)
    with step("curve"):
        curve = tuple(quality.draw_curve(order, sizes, find, check, settings.band))
        area = quality.area_under(order, sizes, check)
    point, reached = choose_point(curve, settings)
    circuit = order[: point.size]
    with step("random circuits"):
        chance = tuple(quality.judge_chance(frozenset(circuit), check, settings.chance))
    with step("completeness", point.size):
        completeness = quality.judge_completeness(circuit, find, check, settings.parts)
    with step("members", point.size):
        members = tuple(quality.judge_members(circuit, check))
    with step("controls"):
        evaluators = {kind: quality.make_evaluator(runner, some, seed) for kind, some in others.items()}
        controls = tuple(quality.compare_controls(frozenset(circuit), check, evaluators))
    untrained = _compare_untrained(runner, check, effects, settings)
    behaviour, p = _behaviour(effects, seed)
    total = check.mean(check.scale)
    return CircuitReport(
        model=runner.model.name,
        ablation=runner.ablation,
        sites=len(runner.sites),
        contrasts=(len(find.contrasts), len(check.contrasts)),
        clusters=(len(np.unique(find.clusters)), len(np.unique(check.clusters))),
        unasked=len(runner.contrasts) - len(asked),
        margin_full=check.mean(check.full),
        margin_empty=check.mean(check.empty),
        total=total,
        behaviour_p=p,
        ranking=ranking,
        curve=curve,
        area=area,
        circuit=tuple(map(str, circuit)),
        faithfulness=point.check,
        completeness=completeness,
        members=members,
        chance=chance,
        controls=controls,
        random_models=untrained,
        verdict=give_verdict(behaviour, total, reached, ranking.sites[: len(circuit)], chance, untrained),
    )


def give_verdict(
    behaviour: bool,
    total: Interval,
    reached: bool,
    members: Sequence[RankedSite],
    chance: Sequence[ChanceCircuits],
    untrained: RandomModels | None,
) -> CircuitVerdict:
    """Decide for each condition whether it holds; a circuit is found if all do."""
    above = total.low is not None and total.low > 0
    sites = any(max(site.p, site.p_check) < LEVEL and site.t * site.t_check > 0 for site in members)
    unlike = _unlike_chance(chance)
    trained = None if untrained is None else max(untrained.behaviour_p, untrained.strongest_p) < LEVEL
    found = behaviour and above and reached and sites and unlike is True and trained is not False
    return CircuitVerdict(found, behaviour, above, reached, sites, unlike, trained)


def _unlike_chance(chance: Sequence[ChanceCircuits]) -> bool | None:
    """Whether the circuit beats random ones of every match of which enough exist; None if there is no such match."""
    enough = [others for others in chance if others.possible >= FEWEST_RANDOM]
    if not enough:
        return None
    return all(others.p is not None and others.p < LEVEL for others in enough)


def _groups(contrasts: Sequence[TokenContrast], settings: CircuitSettings) -> Groups:
    """Contrasts by control and half, at most `limit` in each group; the choice does not depend on their order.

    Main contrasts are of one side only: the sites that distinguish two queries may not be those that distinguish two texts.
    """
    groups: Groups = {}
    for one in contrasts:
        if not one.contrast.control and one.contrast.side != settings.side:
            continue
        groups.setdefault((one.contrast.control, one.contrast.half), []).append(one)
    return {key: _some(group, settings.limit, settings.seed) for key, group in groups.items()}


def _some(contrasts: Sequence[TokenContrast], limit: int | None, seed: int) -> list[TokenContrast]:
    order = sorted(contrasts, key=lambda one: stable_hash("circuit", str(seed), one.contrast.id))
    return sorted(order[:limit], key=lambda one: one.contrast.id)


def _controls(groups: Groups) -> dict[ControlKind, list[TokenContrast]]:
    """The controls of the half `check`, or of `find` if it has none; controls decide nothing in either."""
    kinds: list[ControlKind] = sorted({control for control, _ in groups if control})
    return {kind: groups.get((kind, "check")) or groups[kind, "find"] for kind in kinds}


def choose_point(curve: Sequence[CurvePoint], settings: CircuitSettings) -> tuple[CurvePoint, bool]:
    """The smallest circuit that reaches the threshold on the half `find`, or else the most faithful one there."""

    def height(point: CurvePoint) -> float:
        return -math.inf if point.find.value is None else point.find.value

    if settings.size is not None:
        point = next(point for point in curve if point.size == settings.size)
        return point, height(point) >= settings.threshold
    for point in curve:
        if height(point) >= settings.threshold:
            return point, True
    return max(curve, key=lambda point: (height(point), -point.size)), False


def _behaviour(effects: SiteEffects, seed: int) -> tuple[bool, float]:
    """Whether clean margins are above corrupt ones on the half `check`, and p."""
    half = effects.half("check")
    gaps = effects.clean[half] - effects.corrupt[half]
    p = sign_flip(gaps, effects.clusters[half], rng=np.random.default_rng(seed))
    return bool(len(gaps) and gaps.mean() > 0 and p < LEVEL), p


def _compare_untrained(
    runner: CircuitRunner, check: quality.CircuitEvaluator, effects: SiteEffects, settings: CircuitSettings
) -> RandomModels | None:
    if not settings.random_models:
        return None
    known = {contrast.id for contrast in effects.contrasts}
    asked = [one for one in check.contrasts if one.contrast.id in known]
    some = _some(asked, settings.random_contrasts, settings.seed)
    models, seed = settings.random_models, settings.seed
    with runner.progress.step("untrained models", models * len(some)):
        return compare_untrained(runner, some, effects, models, seed)
