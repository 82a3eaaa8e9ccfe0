"""What each part of a memory is worth: the same cases with and without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from constraintsuite.experiments.figures import round_off
from constraintsuite.memory.outcomes import Outcome
from constraintsuite.memory.public.summary import OVERALL, Contrast
from constraintsuite.memory.runs.compare import ALPHA, of_cell, of_fixture, paired_test
from constraintsuite.metrics.significance import holm
from constraintsuite.records.scores import Interval

Direction = Literal["gain", "loss", "undecided"]
_GAIN: Direction = "gain"
_LOSS: Direction = "loss"


@dataclass(frozen=True, slots=True)
class Pair:
    """A mode with a part and one without it."""

    whole: str
    reduced: str


@dataclass(frozen=True, slots=True)
class Family:
    """One part that is taken away, in one or more modes."""

    name: str
    metric: str
    pairs: tuple[Pair, ...]
    """They differ in that part alone, and decide."""
    beside: tuple[Pair, ...] = ()
    """Against other modes, which differ in more: shown, and without a say."""


def families(*, encoder: bool) -> tuple[Family, ...]:
    """The four families of the benchmark strategy.

    Without structure nothing is walked and the same match ranks alone; without path expansion a walk ends after one edge.
    """
    flat = ("embedding_baseline", "hybrid") if encoder else ("lexical_baseline",)
    return (
        Family(
            "no structure",
            "evidence_recall",
            (Pair("structure_only", "structure_only,hops=0"), Pair("ppr", "ppr,damping=0")),
            tuple(Pair("weighted_graph_static", name) for name in flat),
        ),
        Family("no weights", "evidence_recall", (Pair("weighted_graph_static", "structure_only"),)),
        Family(
            "no path expansion",
            "evidence_recall",
            (
                Pair("weighted_graph_static", "weighted_graph_static,hops=1"),
                Pair("activation_spreading_static", "activation_spreading_static,hops=1"),
            ),
        ),
        Family(
            "no dynamics",
            "probe_mrr",
            (
                Pair("weighted_graph", "weighted_graph_static"),
                Pair("activation_spreading_v1", "activation_spreading_static"),
            ),
        ),
    )


def modes_of(wanted: Sequence[Family]) -> list[str]:
    """Every mode that the families compare, each once."""
    pairs = [pair for family in wanted for pair in (*family.pairs, *family.beside)]
    return list(dict.fromkeys(mode for pair in pairs for mode in (pair.whole, pair.reduced)))


@dataclass(frozen=True, slots=True)
class Effect:
    """What the part is worth on one fixture, or overall."""

    group: str
    contrast: Contrast
    """With the part less without it; `holm` is over all effects of the family."""
    direction: Direction


@dataclass(frozen=True, slots=True)
class Finding:
    """One pair of a family at one budget."""

    pair: Pair
    budget: int
    overall: Effect
    fixtures: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Ablation:
    """What became of a family."""

    name: str
    metric: str
    findings: tuple[Finding, ...]
    beside: tuple[Finding, ...]
    passed: bool
    """Whether at least one fixture shows a gain that the correction leaves standing."""
    sentence: str


def ablate(outcomes: Sequence[Outcome], family: Family, *, seed: int = 0) -> Ablation:
    """All pairs of a family at every budget that both of their modes have."""

    def find(pairs: Sequence[Pair]) -> tuple[Finding, ...]:
        budgets = dict.fromkeys(row.budget for row in outcomes)
        found = [_finding(outcomes, pair, budget, family.metric, seed) for pair in pairs for budget in budgets]
        return _corrected([finding for finding in found if finding is not None])

    findings = find(family.pairs)
    sure = [effect for effect in _effects(findings, "gain") if effect.contrast.holm < ALPHA]
    sentence = _sentence(family, findings, bool(sure))
    return Ablation(family.name, family.metric, findings, find(family.beside), bool(sure), sentence)


def direction_of(difference: Interval) -> Direction:
    """Where an interval lies: above 0, below it, or around it."""
    if difference.low is not None and difference.low > 0:
        return "gain"
    return "loss" if difference.high is not None and difference.high < 0 else "undecided"


def _finding(rows: Sequence[Outcome], pair: Pair, budget: int, metric: str, seed: int) -> Finding | None:
    whole, reduced = (of_cell(rows, mode, budget) for mode in (pair.whole, pair.reduced))
    if not whole or not reduced:
        return None
    effects = []
    groups = [OVERALL, *sorted({row.groups.get("fixture", "") for row in whole})]
    for group in groups:
        with_it, without = (of_fixture(side, group) for side in (whole, reduced))
        test = paired_test(with_it, without, metric, seed=seed)
        if test is not None:
            named = replace(test, mode=pair.whole, baseline=pair.reduced)
            effects.append(Effect(group, named, direction_of(named.difference)))
    return Finding(pair, budget, effects[0], tuple(effects[1:])) if effects else None


def _corrected(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    adjusted = iter(holm([e.contrast.p for f in findings for e in (f.overall, *f.fixtures)]))

    def corrected(effect: Effect) -> Effect:
        p = round_off(next(adjusted))
        assert p is not None
        return replace(effect, contrast=replace(effect.contrast, holm=p))

    return tuple(
        replace(f, overall=corrected(f.overall), fixtures=tuple(corrected(e) for e in f.fixtures)) for f in findings
    )


def _effects(findings: Sequence[Finding], direction: Direction) -> list[Effect]:
    return [effect for finding in findings for effect in finding.fixtures if effect.direction == direction]


def _sentence(family: Family, findings: Sequence[Finding], passed: bool) -> str:
    if not findings:
        return f"{family.name}: not tested, since the run lacks its modes."
    gains, losses = (sorted({e.group for e in _effects(findings, way)}) for way in (_GAIN, _LOSS))
    told = [
        f"{family.metric} is higher with the part on {', '.join(gains)}"
        if gains
        else f"{family.metric} is higher nowhere",
        f"lower on {', '.join(losses)}" if losses else "lower nowhere",
    ]
    doubt = " None of the gains is left after correction." if gains and not passed else ""
    return f"{family.name}: {'pass' if passed else 'fail'}. With 95 % intervals, {', '.join(told)}.{doubt}"
