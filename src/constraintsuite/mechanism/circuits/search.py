"""From effects to a circuit and all that is said of it: found on one half of the contrasts, judged on the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.circuits.choosing import curve_sizes
from constraintsuite.mechanism.circuits.judging import (
    Jury,
    area_under,
    call_jury,
    draw_curve,
    judge_chance,
    judge_completeness,
    judge_members,
)
from constraintsuite.mechanism.circuits.ranking import SiteEffects, rank_sites
from constraintsuite.mechanism.circuits.records import (
    ChanceCircuits,
    CircuitReport,
    CurvePoint,
    RandomModels,
    Ranking,
    Verdict,
)
from constraintsuite.mechanism.circuits.running import Bench
from constraintsuite.mechanism.circuits.settings import CircuitSettings
from constraintsuite.mechanism.circuits.specificity import compare_controls
from constraintsuite.mechanism.circuits.untrained import compare_untrained
from constraintsuite.mechanism.contrasts.records import HALVES, ControlKind, Half
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.sites import Site, parse_site
from constraintsuite.metrics.significance import sign_flip

_LEVEL = 0.05


def search_circuit(
    bench: Bench, contrasts: Sequence[TokenContrast], effects: SiteEffects, settings: CircuitSettings
) -> CircuitReport:
    """The circuit of the contrasts that are studied; their controls are only asked about it."""
    asked = bench.can_ask(contrasts)
    groups = _groups(asked, settings)
    find, check = (call_jury(bench, _needed(groups, half, settings), settings.seed) for half in HALVES)
    ranking = rank_sites(effects, np.random.default_rng(settings.seed))
    order = [parse_site(ranked.site) for ranked in ranking.sites]
    sizes = _sizes(order, settings)
    curve = draw_curve(order, sizes, find, check, settings.band)
    point, reached = _choose(curve, settings)
    circuit = order[: point.size]
    chance = judge_chance(frozenset(circuit), check, settings.chance)
    untrained = _compare_untrained(bench, check, effects, settings)
    behaviour, p = _behaviour(effects, settings.seed)
    return CircuitReport(
        model=bench.subject.name,
        ablation=bench.ablation,
        sites=len(bench.sites),
        contrasts=(len(find.contrasts), len(check.contrasts)),
        clusters=(len(np.unique(find.clusters)), len(np.unique(check.clusters))),
        unasked=len(contrasts) - len(asked),
        margin_full=check.mean(check.full),
        margin_empty=check.mean(check.empty),
        total=check.mean(check.scale),
        behaviour_p=p,
        ranking=ranking,
        curve=tuple(curve),
        area=area_under(order, sizes, check),
        circuit=tuple(map(str, circuit)),
        reached=reached,
        faithfulness=point.check,
        completeness=judge_completeness(circuit, find, check, settings.parts),
        members=tuple(judge_members(circuit, check)),
        chance=tuple(chance),
        controls=tuple(compare_controls(frozenset(circuit), check, _controls(groups, check))),
        random_models=untrained,
        verdict=_verdict(behaviour, ranking, point.size, chance, untrained),
    )


Groups = dict[tuple[ControlKind, Half], list[TokenContrast]]


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


def _needed(groups: Groups, half: Half, settings: CircuitSettings) -> list[TokenContrast]:
    found = groups.get(("", half), [])
    if not found:
        raise UserError(
            f"No contrast of the side {settings.side!r} in the half {half!r} can be asked under the ablation "
            f"{settings.ablation!r}. Bring more contrasts, or choose another side or ablation."
        )
    return found


def _controls(groups: Groups, check: Jury) -> dict[ControlKind, Jury]:
    """Controls of the half that decided nothing; where it has none, of the other, as they decided nothing either."""
    kinds: list[ControlKind] = sorted({control for control, _ in groups if control})
    chosen = {kind: groups.get((kind, "check")) or groups[kind, "find"] for kind in kinds}
    return {kind: call_jury(check.bench, some, check.seed) for kind, some in chosen.items()}


def _sizes(order: Sequence[Site], settings: CircuitSettings) -> list[int]:
    if settings.size is not None and settings.size >= len(order):
        raise UserError(f"--size {settings.size}: a circuit has fewer sites than the model, which has {len(order)}.")
    return sorted({*curve_sizes(len(order)), *([settings.size] if settings.size else [])})


def _choose(curve: Sequence[CurvePoint], settings: CircuitSettings) -> tuple[CurvePoint, bool]:
    """The smallest that reaches the threshold on the half on which it is looked for, or else the most faithful there."""
    if settings.size is not None:
        point = next(point for point in curve if point.size == settings.size)
        return point, (point.find.value or 0) >= settings.threshold
    for point in curve:
        if point.find.value is not None and point.find.value >= settings.threshold:
            return point, True
    return max(curve, key=lambda point: (point.find.value or 0, -point.size)), False


def _behaviour(effects: SiteEffects, seed: int) -> tuple[bool, float]:
    """Whether clean margins lie above corrupt ones on the half that decided nothing."""
    half = effects.half("check")
    gaps = effects.clean[half] - effects.corrupt[half]
    p = sign_flip(gaps, effects.clusters[half], rng=np.random.default_rng(seed))
    return bool(len(gaps) and gaps.mean() > 0 and p < _LEVEL), p


def _compare_untrained(
    bench: Bench, check: Jury, effects: SiteEffects, settings: CircuitSettings
) -> RandomModels | None:
    if not settings.random_models:
        return None
    known = {contrast.id for contrast in effects.contrasts}
    asked = [one for one in check.contrasts if one.contrast.id in known]
    some = _some(asked, settings.random_contrasts, settings.seed)
    return compare_untrained(
        bench.subject, some, effects, settings.random_models, bench.budget, settings.seed, bench.folder
    )


def _verdict(
    behaviour: bool,
    ranking: Ranking,
    size: int,
    chance: Sequence[ChanceCircuits],
    untrained: RandomModels | None,
) -> Verdict:
    members = ranking.sites[:size]
    outside = [others.below for others in chance if others.below is not None]
    sites = any(max(site.p, site.p_check) < _LEVEL and site.t * site.t_check > 0 for site in members)
    unlike = bool(outside) and all(below >= 1 - _LEVEL for below in outside)
    trained = None if untrained is None else max(untrained.behaviour_p, untrained.strongest_p) < _LEVEL
    return Verdict(behaviour and sites and unlike and trained is not False, behaviour, sites, unlike, trained)
