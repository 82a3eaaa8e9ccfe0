"""From effects to a circuit and a verdict: found on one half of the contrasts, judged on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.circuits.plan import CircuitSearchPlan, count_runs, refuse_none
from constraintsuite.mechanism.circuits.quality import (
    Jury,
    area_under,
    call_jury,
    compare_controls,
    draw_curve,
    judge_chance,
    judge_completeness,
    judge_members,
)
from constraintsuite.mechanism.circuits.ranking import SiteEffects, compare_untrained, rank_sites
from constraintsuite.mechanism.circuits.records import (
    FEWEST_RANDOM,
    ChanceCircuits,
    CircuitReport,
    CircuitSettings,
    CircuitVerdict,
    Completeness,
    ControlEffect,
    CurvePoint,
    Member,
    RandomModels,
    RankedSite,
    SiteRanking,
)
from constraintsuite.mechanism.circuits.runner import CircuitRunner, asked_sizes
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf, ControlKind
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.sites import Site, parse_site
from constraintsuite.metrics.significance import sign_flip
from constraintsuite.records.scores import Interval

LEVEL = 0.05


class CircuitGrounds(NamedTuple):
    """What a verdict rests on."""

    behaviour: bool
    total: Interval
    reached: bool
    members: Sequence[RankedSite]
    chance: Sequence[ChanceCircuits]
    untrained: RandomModels | None


def give_verdict(grounds: CircuitGrounds) -> CircuitVerdict:
    """Each condition for itself, and whether all hold."""
    total = grounds.total.low is not None and grounds.total.low > 0
    sites = any(max(site.p, site.p_check) < LEVEL and site.t * site.t_check > 0 for site in grounds.members)
    unlike = _unlike_chance(grounds.chance)
    untrained = grounds.untrained
    trained = None if untrained is None else max(untrained.behaviour_p, untrained.strongest_p) < LEVEL
    found = grounds.behaviour and total and grounds.reached and sites and unlike is True and trained is not False
    return CircuitVerdict(found, grounds.behaviour, total, grounds.reached, sites, unlike, trained)


def _unlike_chance(chance: Sequence[ChanceCircuits]) -> bool | None:
    """Matches with too few other circuits say nothing, whichever way they came out."""
    telling = [others for others in chance if others.possible >= FEWEST_RANDOM]
    if not telling:
        return None
    return all(others.p is not None and others.p < LEVEL for others in telling)


def search_circuit(
    bench: CircuitRunner, contrasts: Sequence[TokenContrast], effects: SiteEffects, settings: CircuitSettings
) -> CircuitReport:
    """The circuit of the contrasts that are studied; their controls are only asked about it."""
    asked = bench.can_ask(contrasts)
    found = _find(bench, _groups(asked, settings), effects, settings)
    circuit, check, ranking = found.circuit, found.check, found.ranking
    chance, completeness, members, controls = _judge(found, settings)
    untrained = _compare_untrained(bench, check, effects, settings)
    behaviour, p = _behaviour(effects, settings.seed)
    total = check.mean(check.scale)
    grounds = CircuitGrounds(behaviour, total, found.reached, ranking.sites[: len(circuit)], chance, untrained)
    return CircuitReport(
        model=bench.subject.name,
        ablation=bench.ablation,
        sites=len(bench.sites),
        contrasts=(len(found.find.contrasts), len(check.contrasts)),
        clusters=(len(np.unique(found.find.clusters)), len(np.unique(check.clusters))),
        unasked=len(contrasts) - len(asked),
        margin_full=check.mean(check.full),
        margin_empty=check.mean(check.empty),
        total=total,
        behaviour_p=p,
        ranking=ranking,
        curve=found.curve,
        area=found.area,
        circuit=tuple(map(str, circuit)),
        faithfulness=found.point.check,
        completeness=completeness,
        members=members,
        chance=chance,
        controls=controls,
        random_models=untrained,
        verdict=give_verdict(grounds),
    )


Groups = dict[tuple[ControlKind, ContrastHalf], list[TokenContrast]]


class _Found(NamedTuple):
    """A circuit, and where it was found."""

    course: CircuitSearchPlan
    find: Jury
    check: Jury
    others: dict[ControlKind, list[TokenContrast]]
    ranking: SiteRanking
    curve: tuple[CurvePoint, ...]
    area: Interval
    point: CurvePoint
    reached: bool
    circuit: list[Site]


def _find(bench: CircuitRunner, groups: Groups, effects: SiteEffects, settings: CircuitSettings) -> _Found:
    ranking = rank_sites(effects, np.random.default_rng(settings.seed))
    order = [parse_site(ranked.site) for ranked in ranking.sites]
    sizes = asked_sizes(len(order), settings.size)
    halves = [_needed(groups, half, settings) for half in HALVES]
    others = _controls(groups)
    course = CircuitSearchPlan(len(sizes), len(halves[0]), len(halves[1]), tuple(map(len, others.values())), settings)
    with bench.watch.step("margins", count_runs(course.margins())):
        find, check = (call_jury(bench, half, settings.seed) for half in halves)
    with bench.watch.step("curve", count_runs(course.curve())):
        curve = tuple(draw_curve(order, sizes, find, check, settings.band))
        area = area_under(order, sizes, check)
    point, reached = choose_point(curve, settings)
    return _Found(course, find, check, others, ranking, curve, area, point, reached, order[: point.size])


class _Judged(NamedTuple):
    chance: tuple[ChanceCircuits, ...]
    completeness: Completeness
    members: tuple[Member, ...]
    controls: tuple[ControlEffect, ...]


def _judge(found: _Found, settings: CircuitSettings) -> _Judged:
    course, find, check, circuit = found.course, found.find, found.check, found.circuit
    bench, size = check.bench, len(circuit)
    with bench.watch.step("random circuits", count_runs(course.chance())):
        chance = tuple(judge_chance(frozenset(circuit), check, settings.chance))
    with bench.watch.step("completeness", count_runs(course.completeness(size))):
        completeness = judge_completeness(circuit, find, check, settings.parts)
    with bench.watch.step("members", count_runs(course.members(size))):
        members = tuple(judge_members(circuit, check))
    with bench.watch.step("controls", count_runs(course.specificity())):
        juries = {kind: call_jury(bench, some, settings.seed) for kind, some in found.others.items()}
        controls = tuple(compare_controls(frozenset(circuit), check, juries))
    return _Judged(chance, completeness, members, controls)


def _groups(contrasts: Sequence[TokenContrast], settings: CircuitSettings) -> Groups:
    """By control and half, each at most as many as asked for: which ones does not depend on their order.

    Of what is studied only one side: what tells two queries apart need not be what tells two texts apart.
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


def _needed(groups: Groups, half: ContrastHalf, settings: CircuitSettings) -> list[TokenContrast]:
    found = groups.get(("", half), [])
    refuse_none(len(found), half, settings)
    return found


def _controls(groups: Groups) -> dict[ControlKind, list[TokenContrast]]:
    """Controls of the half that decided nothing; where it has none, of the other, as they decided nothing either."""
    kinds: list[ControlKind] = sorted({control for control, _ in groups if control})
    return {kind: groups.get((kind, "check")) or groups[kind, "find"] for kind in kinds}


def choose_point(curve: Sequence[CurvePoint], settings: CircuitSettings) -> tuple[CurvePoint, bool]:
    """The smallest that reaches the threshold on the half on which it is looked for, or else the most faithful there."""

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
    """Whether clean margins lie above corrupt ones on the half that decided nothing."""
    half = effects.half("check")
    gaps = effects.clean[half] - effects.corrupt[half]
    p = sign_flip(gaps, effects.clusters[half], rng=np.random.default_rng(seed))
    return bool(len(gaps) and gaps.mean() > 0 and p < LEVEL), p


def _compare_untrained(
    bench: CircuitRunner, check: Jury, effects: SiteEffects, settings: CircuitSettings
) -> RandomModels | None:
    if not settings.random_models:
        return None
    known = {contrast.id for contrast in effects.contrasts}
    asked = [one for one in check.contrasts if one.contrast.id in known]
    some = _some(asked, settings.random_contrasts, settings.seed)
    models, seed = settings.random_models, settings.seed
    with bench.watch.step("untrained models", models * len(some)):
        return compare_untrained(
            bench.subject, some, effects, models, bench.budget, seed, bench.folder, bench.watch.count
        )
