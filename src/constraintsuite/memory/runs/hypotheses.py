"""The claims of the benchmark strategy (H1 to H3, and dynamic state), each with a verdict and its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from constraintsuite.core.records.figures import ColumnKind, percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.experiments.compare import ALPHA, PairedDifference, SystemPair, apply_holm, paired_test
from constraintsuite.experiments.experiment import SystemSpeed, Timing
from constraintsuite.experiments.outcome_table import OVERALL, StoredTable
from constraintsuite.memory.cases.model import CONTEXT
from constraintsuite.memory.runs.effects import EffectDirection, direction_of
from constraintsuite.memory.runs.replay import BEST_WALK, WALKING, Replay
from constraintsuite.memory.runs.table import BUDGET, MemoryTable

Judgement = Literal["supported", "not supported", "undecided"]
FLAT = ("lexical_baseline", "embedding_baseline", "hybrid")
H1_RELATIVE, H2_LATENCY, H3_MEDIAN_MS, H3_MOST = 1.15, 1.20, 200.0, 0.5
DYNAMIC = (("weighted_graph", "weighted_graph_static"), ("activation_spreading_v1", "activation_spreading_static"))
_JUDGED: Mapping[EffectDirection, Judgement] = {"gain": "supported", "loss": "not supported", "undecided": "undecided"}
_RECALL = "evidence_recall"
_HELP, _HARM = "probes that leave it out", "other probes"


@dataclass(frozen=True, slots=True)
class HypothesisFigure:
    """One number that a verdict is based on."""

    what: str
    figure: Interval
    judgement: Judgement
    p: float | None = None
    """The p of a paired test, corrected for all tests of its claim (Holm)."""
    kind: ColumnKind = "points"
    """How the figure is shown."""


@dataclass(frozen=True, slots=True)
class HypothesisResult:
    """A claim with its verdict."""

    name: str
    claim: str
    judgement: Judgement
    sentence: str
    evidence: tuple[HypothesisFigure, ...]


def judge_claims(
    table: MemoryTable, budget: int, *, timing: Timing | None = None, replays: Sequence[Replay] = ()
) -> tuple[HypothesisResult, ...]:
    """Judge H1 to H3 and the claim about dynamic state on the outcomes of structured cases at one budget."""
    here = [one for one in replays if one.budget == budget]
    return (_h1(table, budget), _h2(table, budget, timing), _h3(table, budget, timing, here), _dynamic(table, budget))


def _h1(table: MemoryTable, budget: int) -> HypothesisResult:
    claim = "On multi-hop cases a graph finds at least 15 % more of the evidence than flat search, at the same budget."
    hops = table.at_budget(budget, tag="multi_hop")
    levels = {mode: values.mean() for mode in FLAT if len(values := _values(table, mode, _RECALL, hops))}
    if not levels:
        return HypothesisResult("H1", claim, "undecided", "No flat mode was run on multi-hop cases.", ())
    flat = max(levels, key=lambda mode: levels[mode])
    run = [mode for mode in WALKING if mode in table.systems]
    what = f"{_RECALL} of {{}} minus {H1_RELATIVE} times that of {flat}"
    evidence = _tested({what.format(mode): _test_more(table, flat, mode, hops) for mode in run})
    level = levels[flat]
    impossible = ", which is impossible" if H1_RELATIVE * level > 1 else ""
    bar = f"15 % more would be {percent(H1_RELATIVE * level)}{impossible}"
    words = f"The best flat mode, {flat}, has {percent(level)}; {bar}. Answer recall is not judged: no answers are generated."
    return HypothesisResult("H1", claim, _any([each.judgement for each in evidence]), words, evidence)


def _test_more(table: MemoryTable, flat: str, mode: str, members: Sequence[int]) -> PairedDifference:
    """Test whether a mode has at least 1.15 times as much: graph - 1.15 * flat, paired, must lie above 0."""
    values = {
        flat: {_RECALL: H1_RELATIVE * table.column(flat, _RECALL, members)},
        mode: {_RECALL: table.column(mode, _RECALL, members)},
    }
    scaled = StoredTable([table.items[i] for i in members], table.metrics, values, {}, _RECALL)
    return paired_test(scaled, SystemPair(flat, mode), table.metric(_RECALL), OVERALL, scaled.main)


def _h2(table: MemoryTable, budget: int, timing: Timing | None) -> HypothesisResult:
    claim = "Weights bring more critical evidence into the first three places, for at most 20 % more time (median)."
    critical = table.at_budget(budget, tag="critical")
    plain, weighted = "structure_only", "weighted_graph_static"
    tested = _tested({"top3_recall with weights minus without": _test(table, plain, weighted, "top3_recall", critical)})
    if not tested:
        return HypothesisResult("H2", claim, "undecided", "The two modes were not both run on critical cases.", ())
    (gained,) = tested
    slow, fast = (_speed(timing, mode, budget) for mode in (weighted, plain))
    if slow is None or fast is None:
        return HypothesisResult("H2", claim, _all([gained.judgement, "undecided"]), "No times were taken.", (gained,))
    ratio = slow.p50_ms / fast.p50_ms
    cost = _measured("median time with weights over without", ratio, slow.items, ratio <= H2_LATENCY, "number")
    words = f"The median time is {ratio:.2f} times."
    return HypothesisResult("H2", claim, _all([gained.judgement, cost.judgement]), words, (gained, cost))


def _measured(what: str, value: float, n: int, supported: bool, kind: ColumnKind) -> HypothesisFigure:
    """Make evidence of a number without an interval, judged by a fixed limit."""
    judgement: Judgement = "supported" if supported else "not supported"
    return HypothesisFigure(what, Interval(value, None, None, n), judgement, kind=kind)


def _h3(table: MemoryTable, budget: int, timing: Timing | None, replays: Sequence[Replay]) -> HypothesisResult:
    claim = (
        "Paths can be replayed: every edge exists, without the last one the unit at the end loses score (where scores are sums, "
        "more often than without another edge), and the median is below 200 ms."
    )
    run = [mode for mode in WALKING if mode in table.systems]
    evidence = [each for mode in run for each in _edges_and_speed(table, mode, budget, timing)]
    evidence += [_mostly_fall(one) for one in replays if one.mode in BEST_WALK]
    ends = "units at the end of a walk of {} that fall without its last edge, minus those without another edge"
    sums = [one for one in replays if one.mode not in BEST_WALK]
    evidence += _tested({ends.format(one.mode): one.fall.test for one in sums})
    replayed = {one.mode for one in replays}
    lacking = [mode for mode in run if mode not in replayed or _speed(timing, mode, budget) is None]
    judged = _all([each.judgement for each in evidence] + (["undecided"] if lacking else []))
    causes = [f"{one.mode}: {_causes(one)}" for one in replays]
    doubt = [f"Without times and replays of {', '.join(lacking)} it cannot be decided in full."] if lacking else []
    none = [] if run else ["No mode that walks was run."]
    return HypothesisResult("H3", claim, judged, " ".join([*causes, *doubt, *none]), tuple(evidence))


def _edges_and_speed(table: MemoryTable, mode: str, budget: int, timing: Timing | None) -> Iterator[HypothesisFigure]:
    """Yield for one mode whether its edges exist, and whether it is fast."""
    shown = _values(table, mode, "edge_validity", table.at_budget(budget))
    if len(shown):
        exist = f"edges of {mode} that exist"
        yield _measured(exist, float(shown.mean()), len(shown), bool(shown.min() == 1), "share")
    speed = _speed(timing, mode, budget)
    if speed is not None:
        is_fast = speed.p50_ms < H3_MEDIAN_MS
        yield _measured(f"median ms of {mode}", speed.p50_ms, speed.items, is_fast, "number")


def _mostly_fall(one: Replay) -> HypothesisFigure:
    """Judge a mode that scores by the best walk: without other edges to compare with, most last edges must have an effect."""
    share = one.fall.traced
    judgement: Judgement = "undecided"
    if share.low is not None and share.high is not None and not share.low <= H3_MOST <= share.high:
        judgement = "supported" if share.low > H3_MOST else "not supported"
    return HypothesisFigure(
        f"units at the end of a walk of {one.mode} that fall without its last edge", share, judgement, kind="share"
    )


def _causes(one: Replay) -> str:
    """Describe the shares that a difference is computed from."""
    shares = [each.value or 0.0 for each in (one.fall.traced, one.fall.untraced, one.move.traced, one.move.untraced)]
    return (
        f"in {one.fall.traced.n} walks, removing the last edge lowers the unit's score in {percent(shares[0])} of cases (other edges: "
        f"{percent(shares[1])}) and also changes its rank in {percent(shares[2])} ({percent(shares[3])})."
    )


def _dynamic(table: MemoryTable, budget: int) -> HypothesisResult:
    claim = "What was confirmed before helps later questions that leave it out, and does not harm other questions."
    needing = table.at_budget(budget, part="probe", tag=CONTEXT)
    others = sorted(set(table.at_budget(budget, part="probe")) - set(needing))
    tests = {
        (dynamic, kind): test
        for dynamic, static in DYNAMIC
        for kind, members in ((_HELP, needing), (_HARM, others))
        if (test := _test(table, static, dynamic, "probe_mrr", members)) is not None
    }
    static_of = dict(DYNAMIC)
    evidence = _tested(
        {f"probe_mrr of {mode} minus {static_of[mode]} on {kind}": test for (mode, kind), test in tests.items()}
    )
    found = dict(zip(tests, evidence, strict=True))
    judged = _any([_helps(found.get((mode, _HELP)), found.get((mode, _HARM))) for mode, _ in tests])
    harms = [
        f"{mode} does harm."
        for (mode, kind), each in found.items()
        if kind == _HARM and each.judgement == "not supported"
    ]
    none = "No harm is shown, which is not to say that there is none." if found else "No sequence was run with both."
    return HypothesisResult("dynamic", claim, judged, " ".join(harms) or none, evidence)


def _helps(help_: HypothesisFigure | None, harm: HypothesisFigure | None) -> Judgement:
    """Judge one mode: it must gain where it should help, and show no loss where it might harm.

    A loss that is significant after correction decides against it; any other loss leaves it undecided.
    """
    if harm is not None and harm.judgement == "not supported":
        return "not supported"
    # By the mean, not by its interval: with few probes an interval would hide most harm.
    unharmed = harm is not None and harm.figure.value is not None and harm.figure.value >= 0
    if help_ is None or (help_.judgement == "supported" and not unharmed):
        return "undecided"
    return help_.judgement


def _test(table: MemoryTable, first: str, second: str, metric: str, members: Sequence[int]) -> PairedDifference | None:
    """Test the second mode minus the first; None if they have no item in common."""
    if metric not in table.metrics or not {first, second} <= set(table.systems):
        return None
    test = paired_test(table, SystemPair(first, second), table.metric(metric), OVERALL, members)
    return test if test.difference.value is not None else None


def _tested(tests: Mapping[str, PairedDifference | None]) -> tuple[HypothesisFigure, ...]:
    """Make evidence of paired tests: supported if the interval lies above 0, not supported if it lies below.

    Unless the corrected p is below .05, the evidence is undecided.
    """
    known = {what: test for what, test in tests.items() if test is not None and test.p is not None}
    return tuple(
        HypothesisFigure(what, test.difference, _judged(test), test.holm)
        for what, test in zip(known, apply_holm(list(known.values())), strict=True)
    )


def _judged(test: PairedDifference) -> Judgement:
    certain = test.holm is not None and test.holm < ALPHA
    return _JUDGED[direction_of(test.difference)] if certain else "undecided"


def _values(table: MemoryTable, mode: str, metric: str, members: Sequence[int]) -> FloatArray:
    """Return the defined values of a mode on some items; none if it was not run."""
    column = table.column(mode, metric, members) if mode in table.systems else np.empty(0)
    return column[~np.isnan(column)]


def _speed(timing: Timing | None, mode: str, budget: int) -> SystemSpeed | None:
    return timing.find(mode, f"{BUDGET}={budget}") if timing else None


def _any(judgements: Sequence[Judgement]) -> Judgement:
    """Judge a claim for which one of several modes is enough."""
    return _combined(judgements, "supported", "not supported")


def _all(judgements: Sequence[Judgement]) -> Judgement:
    """Judge a claim that needs all of its parts."""
    return _combined(judgements, "not supported", "supported")


def _combined(judgements: Sequence[Judgement], decisive: Judgement, unanimous: Judgement) -> Judgement:
    if decisive in judgements:
        return decisive
    return unanimous if set(judgements) == {unanimous} else "undecided"
