"""Effects on the same cases, paired: of a part of the memory (ablations), and of another wording of the question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
TOLERATED = 0.10
"""The loss through rewording that must be ruled out."""
FEWEST = 35
"""With fewer cases no loss can be ruled out, even if none of them differs."""


@dataclass(frozen=True, slots=True)
class AblationPair:
    """A mode with a part of the memory, and one without it."""

    whole: str
    reduced: str


@dataclass(frozen=True, slots=True)
class AblationFamily:
    """One part of the memory that is removed, in one or more modes."""

    name: str
    metric: str
    pairs: tuple[AblationPair, ...]
    """These differ in that part only, and decide."""
    beside: tuple[AblationPair, ...] = ()
    """Comparisons with modes that differ in more than the part: shown, but they do not decide."""


_FAMILIES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "no structure": ("evidence_recall", {"structure_only": "structure_only,hops=0", "ppr": "ppr,damping=0"}),
    "no weights": ("evidence_recall", {"weighted_graph_static": "structure_only"}),
    "no path expansion": (
        "evidence_recall",
        {mode: f"{mode},hops=1" for mode in ("weighted_graph_static", "activation_spreading_static")},
    ),
    "no dynamics": (
        "probe_mrr",
        {"weighted_graph": "weighted_graph_static", "activation_spreading_v1": "activation_spreading_static"},
    ),
}
"""The four families of the benchmark strategy: a metric, and modes with the part, each with a mode without it.

Without structure no edge is walked, and the match alone ranks. Without path expansion a walk ends after one edge.
"""


def families(*, encoder: bool) -> tuple[AblationFamily, ...]:
    """Return the four families of the benchmark strategy."""
    flat = ("embedding_baseline", "hybrid") if encoder else ("lexical_baseline",)
    beside = {"no structure": tuple(AblationPair("weighted_graph_static", name) for name in flat)}
    return tuple(
        AblationFamily(name, metric, tuple(AblationPair(*pair) for pair in pairs.items()), beside.get(name, ()))
        for name, (metric, pairs) in _FAMILIES.items()
    )


def modes_of(wanted: Sequence[AblationFamily]) -> list[str]:
    """Return every mode that the families compare, each once."""
    pairs = [pair for family in wanted for pair in (*family.pairs, *family.beside)]
    return list(dict.fromkeys(mode for pair in pairs for mode in (pair.whole, pair.reduced)))


@dataclass(frozen=True, slots=True)
class AblationEffect:
    """The effect of the part on one fixture, or overall."""

    group: str
    test: PairedDifference
    """The mode with the part minus the one without it; `holm` corrects for all effects of the family."""
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
    """The effects of one family, and its verdict."""

    name: str
    metric: str
    findings: tuple[AblationFinding, ...]
    beside: tuple[AblationFinding, ...]
    passed: bool
    """Whether at least one fixture shows a gain that is significant after correction."""
    sentence: str


def ablate(table: MemoryTable, family: AblationFamily) -> AblationResult:
    """Test all pairs of a family at every budget, where both of their modes were run."""
    findings = _findings(table, family.pairs, family.metric)
    gains, losses = (
        [effect for finding in findings for effect in finding.fixtures if effect.direction == direction]
        for direction in ("gain", "loss")
    )
    passed = any((effect.test.holm or 0.0) < ALPHA for effect in gains)
    sentence = f"{family.name}: not tested, since the run lacks its modes."
    if findings:
        higher = f"is higher with the part on {_names(gains)}" if gains else "is higher nowhere"
        lower = f"lower on {_names(losses)}" if losses else "lower nowhere"
        doubt = " None of the gains is left after correction." if gains and not passed else ""
        verdict = "pass" if passed else "fail"
        sentence = f"{family.name}: {verdict}. With 95 % intervals, {family.metric} {higher}, {lower}.{doubt}"
    beside = _findings(table, family.beside, family.metric)
    return AblationResult(family.name, family.metric, findings, beside, passed, sentence)


def _names(effects: Sequence[AblationEffect]) -> str:
    return ", ".join(sorted({effect.group for effect in effects}))


def _findings(table: MemoryTable, pairs: Sequence[AblationPair], metric: str) -> tuple[AblationFinding, ...]:
    """Test each pair at each budget, overall and by fixture, with Holm's correction over all of these tests."""
    known = [pair for pair in pairs if {pair.whole, pair.reduced} <= set(table.systems)]
    tests: dict[tuple[AblationPair, int, str], PairedDifference] = {}
    for pair, budget in product(known, table.budgets):
        groups = {OVERALL: table.at_budget(budget)}
        groups |= {name: table.at_budget(budget, fixture=name) for name in table.groups["fixture"]}
        for group, members in groups.items():
            systems = SystemPair(pair.reduced, pair.whole)
            test = paired_test(table, systems, table.metric(metric), group, members)
            if test.difference.value is not None:
                tests[pair, budget, group] = test
    effects: dict[tuple[AblationPair, int], list[AblationEffect]] = defaultdict(list)
    for (pair, budget, group), test in zip(tests, apply_holm(list(tests.values())), strict=True):
        effects[pair, budget].append(AblationEffect(group, test, direction_of(test.difference)))
    return tuple(AblationFinding(*cell, own[0], tuple(own[1:])) for cell, own in effects.items())


def direction_of(difference: Interval) -> EffectDirection:
    """Say where an interval lies: above 0, below 0, or around it."""
    if difference.low is not None and difference.low > 0:
        return "gain"
    return "loss" if difference.high is not None and difference.high < 0 else "undecided"


@dataclass(frozen=True, slots=True)
class ParaphraseCost:
    """A mode's figure on paraphrases minus that on the original questions, paired by case."""

    mode: str
    budget: int
    metric: str
    original: float
    difference: Interval
    """n counts cases."""
    solvable: Interval
    """The same over the cases that pass in at least one wording: a case that fails in all has a difference of 0, which
    would hide a loss."""
    passed: bool
    """Whether there are enough cases, and the interval over all of them excludes a loss above the tolerated one."""


def rewordings_of(table: MemoryTable, metric: str = "pass") -> list[ParaphraseCost]:
    """Measure every mode and budget that has cases with paraphrases; each case counts once."""
    found = []
    for mode, budget in product(table.systems, table.budgets if metric in table.metrics else ()):
        cases = _cases(table, mode, budget, metric)
        if not cases:
            continue
        scale = table.metric(metric)
        difference = _difference(cases, scale)
        solvable = _difference([case for case in cases if case.reworded or case.original], scale)
        original = float(np.mean([case.original for case in cases]))
        passed = difference.n >= FEWEST and difference.low is not None and difference.low >= -TOLERATED
        found.append(ParaphraseCost(mode, budget, metric, original, difference, solvable, passed))
    return found


class _Case(NamedTuple):
    id: str
    original: float
    reworded: float
    """The mean over its paraphrases."""


def _difference(cases: Sequence[_Case], metric: Metric) -> Interval:
    values = np.array([case.reworded - case.original for case in cases], dtype=np.float64)
    draws = generator(0, [case.id for case in cases])
    return mean_difference(values, np.arange(len(values), dtype=np.int64), metric, draws)


def _cases(table: MemoryTable, mode: str, budget: int, metric: str) -> list[_Case]:
    """Return the cases of which all wordings have a value."""
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
