"""What each part of a memory is worth, and what another wording of the same question costs: the same cases, paired."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import (
    ALPHA,
    PairedDifference,
    SystemPair,
    apply_holm,
    mean_difference,
    paired_test,
)
from constraintsuite.experiments.figures import generator
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.memory.runs.table import PHRASING, MemoryTable

EffectDirection = Literal["gain", "loss", "undecided"]
_GAIN: EffectDirection = "gain"
_LOSS: EffectDirection = "loss"
TOLERATED = 0.10
"""The loss that must be ruled out."""
FEWEST = 35
"""Cases below which nothing is ruled out, however they come out: so many it takes where none differs."""


@dataclass(frozen=True, slots=True)
class AblationPair:
    """A mode with a part and one without it."""

    whole: str
    reduced: str


@dataclass(frozen=True, slots=True)
class AblationFamily:
    """One part that is taken away, in one or more modes."""

    name: str
    metric: str
    pairs: tuple[AblationPair, ...]
    """They differ in that part alone, and decide."""
    beside: tuple[AblationPair, ...] = ()
    """Against other modes, which differ in more: shown, and without a say."""


def families(*, encoder: bool) -> tuple[AblationFamily, ...]:
    """The four families of the benchmark strategy.

    Without structure nothing is walked and the same match ranks alone; without path expansion a walk ends after one edge.
    """
    flat = ("embedding_baseline", "hybrid") if encoder else ("lexical_baseline",)
    return (
        AblationFamily(
            "no structure",
            "evidence_recall",
            (AblationPair("structure_only", "structure_only,hops=0"), AblationPair("ppr", "ppr,damping=0")),
            tuple(AblationPair("weighted_graph_static", name) for name in flat),
        ),
        AblationFamily("no weights", "evidence_recall", (AblationPair("weighted_graph_static", "structure_only"),)),
        AblationFamily(
            "no path expansion",
            "evidence_recall",
            (
                AblationPair("weighted_graph_static", "weighted_graph_static,hops=1"),
                AblationPair("activation_spreading_static", "activation_spreading_static,hops=1"),
            ),
        ),
        AblationFamily(
            "no dynamics",
            "probe_mrr",
            (
                AblationPair("weighted_graph", "weighted_graph_static"),
                AblationPair("activation_spreading_v1", "activation_spreading_static"),
            ),
        ),
    )


def modes_of(wanted: Sequence[AblationFamily]) -> list[str]:
    """Every mode that the families compare, each once."""
    pairs = [pair for family in wanted for pair in (*family.pairs, *family.beside)]
    return list(dict.fromkeys(mode for pair in pairs for mode in (pair.whole, pair.reduced)))


@dataclass(frozen=True, slots=True)
class AblationEffect:
    """What the part is worth on one fixture, or overall."""

    group: str
    test: PairedDifference
    """With the part less without it; `holm` is over all effects of the family."""
    direction: EffectDirection


@dataclass(frozen=True, slots=True)
class AblationFinding:
    """One pair of a family at one budget."""

    pair: AblationPair
    budget: int
    overall: AblationEffect
    fixtures: tuple[AblationEffect, ...]


@dataclass(frozen=True, slots=True)
class AblationResult:
    """What became of a family."""

    name: str
    metric: str
    findings: tuple[AblationFinding, ...]
    beside: tuple[AblationFinding, ...]
    passed: bool
    """Whether at least one fixture shows a gain that the correction leaves standing."""
    sentence: str


def ablate(table: MemoryTable, family: AblationFamily, *, seed: int = 0) -> AblationResult:
    """All pairs of a family at every budget, where both of their modes were run."""

    def find(pairs: Sequence[AblationPair]) -> tuple[AblationFinding, ...]:
        known = [pair for pair in pairs if pair.whole in table.systems and pair.reduced in table.systems]
        found = [_finding(table, pair, budget, family.metric, seed) for pair in known for budget in table.budgets]
        return _corrected([finding for finding in found if finding is not None])

    findings = find(family.pairs)
    sure = [effect for effect in _effects(findings, "gain") if (effect.test.holm or 0.0) < ALPHA]
    sentence = _sentence(family, findings, bool(sure))
    return AblationResult(family.name, family.metric, findings, find(family.beside), bool(sure), sentence)


def direction_of(difference: Interval) -> EffectDirection:
    """Where an interval lies: above 0, below it, or around it."""
    if difference.low is not None and difference.low > 0:
        return "gain"
    return "loss" if difference.high is not None and difference.high < 0 else "undecided"


def _finding(table: MemoryTable, pair: AblationPair, budget: int, metric: str, seed: int) -> AblationFinding | None:
    groups = {OVERALL: table.at_budget(budget)}
    groups |= {name: table.at_budget(budget, fixture=name) for name in table.groups["fixture"]}
    tests = [
        paired_test(table, SystemPair(pair.reduced, pair.whole), table.metric(metric), group, members, seed=seed)
        for group, members in groups.items()
    ]
    effects = [
        AblationEffect(test.group, test, direction_of(test.difference))
        for test in tests
        if test.difference.value is not None
    ]
    return AblationFinding(pair, budget, effects[0], tuple(effects[1:])) if effects else None


def _corrected(findings: Sequence[AblationFinding]) -> tuple[AblationFinding, ...]:
    """With Holm's correction over all effects."""
    tests = iter(apply_holm([effect.test for finding in findings for effect in (finding.overall, *finding.fixtures)]))
    return tuple(
        replace(
            finding,
            overall=replace(finding.overall, test=next(tests)),
            fixtures=tuple(replace(effect, test=next(tests)) for effect in finding.fixtures),
        )
        for finding in findings
    )


def _effects(findings: Sequence[AblationFinding], direction: EffectDirection) -> list[AblationEffect]:
    return [effect for finding in findings for effect in finding.fixtures if effect.direction == direction]


def _sentence(family: AblationFamily, findings: Sequence[AblationFinding], passed: bool) -> str:
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


@dataclass(frozen=True, slots=True)
class ParaphraseCost:
    """A mode's figure on paraphrases less that on the questions as they stand, paired by case."""

    mode: str
    budget: int
    metric: str
    original: float
    difference: Interval
    """n counts cases."""
    solvable: Interval
    """The same over the cases that pass in at least one wording: those that fail in all of them differ by nothing, and a
    loss hides behind them."""
    passed: bool
    """Whether there are cases enough, and the interval over all of them excludes a loss above the tolerated one."""


def rewordings_of(
    table: MemoryTable, metric: str = "pass", *, tolerated: float = TOLERATED, seed: int = 0
) -> list[ParaphraseCost]:
    """Of every mode and budget that has cases with paraphrases; a case counts once, however many it has."""
    found = []
    for mode, budget in product(table.systems, table.budgets if metric in table.metrics else ()):
        cases = _cases(table, mode, budget, metric)
        if not cases:
            continue
        scale = table.metric(metric)
        difference = _difference(cases, scale, seed)
        solvable = _difference([case for case in cases if case.reworded or case.original], scale, seed)
        original = float(np.mean([case.original for case in cases]))
        passed = difference.n >= FEWEST and difference.low is not None and difference.low >= -tolerated
        found.append(ParaphraseCost(mode, budget, metric, original, difference, solvable, passed))
    return found


class _Case(NamedTuple):
    id: str
    original: float
    reworded: float
    """The mean over its paraphrases."""


def _difference(cases: Sequence[_Case], metric: Metric, seed: int) -> Interval:
    values = np.array([case.reworded - case.original for case in cases], dtype=np.float64)
    draws = generator(seed, [case.id for case in cases])
    return mean_difference(values, np.arange(len(values), dtype=np.int64), metric, draws)


def _cases(table: MemoryTable, mode: str, budget: int, metric: str) -> list[_Case]:
    """Those of which all wordings have a value."""
    wordings: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for phrasing in table.groups.get(PHRASING, {}):
        members = table.at_budget(budget, phrasing=phrasing)
        for item, value in zip(members, table.column(mode, metric, members).tolist(), strict=True):
            wordings[table.items[item].wide[0]][phrasing].append(value)
    return [
        _Case(name, case["original"][0], float(np.mean(case["paraphrase"])))
        for name, case in wordings.items()
        if case["original"] and case["paraphrase"] and not np.isnan([*case["original"], *case["paraphrase"]]).any()
    ]
