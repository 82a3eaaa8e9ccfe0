"""The claims of the benchmark strategy, each with a verdict and the numbers behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from constraintsuite.experiments.figures import round_off
from constraintsuite.memory.cases.model import CONTEXT
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.memory.public.summary import ModeDifference
from constraintsuite.memory.runs.ablations import EffectDirection, direction_of
from constraintsuite.memory.runs.compare import ALPHA, of_cell, paired_test
from constraintsuite.memory.runs.latency import Timing
from constraintsuite.memory.runs.replay import BEST_WALK, WALKING, Replay
from constraintsuite.metrics.significance import holm
from constraintsuite.records.figures import percent
from constraintsuite.records.scores import Interval

Judgement = Literal["supported", "not supported", "undecided"]
FLAT = ("lexical_baseline", "embedding_baseline", "hybrid")
H1_RELATIVE, H2_LATENCY, H3_MEDIAN_MS, H3_MOST = 1.15, 1.20, 200.0, 0.5
DYNAMIC = (
    ("weighted_graph", "weighted_graph_static"),
    ("activation_spreading_v1", "activation_spreading_static"),
)
_JUDGED: Mapping[EffectDirection, Judgement] = {"gain": "supported", "loss": "not supported", "undecided": "undecided"}
_HELP, _HARM = "probes that leave it out", "other probes"


@dataclass(frozen=True, slots=True)
class HypothesisFigure:
    """One number behind a verdict."""

    what: str
    figure: Interval
    judgement: Judgement
    p: float | None = None
    """Of a paired test, corrected for all tests of its claim (Holm)."""


@dataclass(frozen=True, slots=True)
class HypothesisResult:
    """A hypothesis and what became of it."""

    name: str
    claim: str
    judgement: Judgement
    sentence: str
    evidence: tuple[HypothesisFigure, ...]


def judge_claims(
    outcomes: Sequence[ItemResult], budget: int, *, timing: Timing | None = None, replays: Sequence[Replay] = ()
) -> tuple[HypothesisResult, ...]:
    """H1 to H3 and the claim about dynamic state, on the outcomes of structured cases at one budget."""
    rows = [row for row in outcomes if row.budget == budget]
    here = [one for one in replays if one.budget == budget]
    return (_h1(rows, budget), _h2(rows, budget, timing), _h3(rows, budget, timing, here), _dynamic(rows, budget))


def _h1(rows: Sequence[ItemResult], budget: int) -> HypothesisResult:
    claim = "On multi-hop cases a graph finds at least 15 % more of the evidence than flat search, at the same budget."
    hops = _tagged(rows, "multi_hop")
    flat = max((mode for mode in FLAT if of_cell(hops, mode, budget)), key=_mean(hops, "evidence_recall"), default=None)
    if flat is None:
        return HypothesisResult("H1", claim, "undecided", "No flat mode was run on multi-hop cases.", ())
    base = of_cell(hops, flat, budget)
    # At least 1.15 times as much: graph - 1.15 * flat, paired, must lie above 0.
    scaled = _scaled(base, "evidence_recall", H1_RELATIVE)
    evidence = _tested(
        {
            f"evidence_recall of {mode} less {H1_RELATIVE} times that of {flat}": paired_test(
                of_cell(hops, mode, budget), scaled, "evidence_recall"
            )
            for mode in WALKING
            if of_cell(hops, mode, budget)
        }
    )
    level = _mean(hops, "evidence_recall")(flat)
    bar = f"15 % more would be {percent(H1_RELATIVE * level)}" + (
        ", which cannot be" if H1_RELATIVE * level > 1 else ""
    )
    told = f"The best flat mode, {flat}, has {percent(level)}; {bar}. Answer recall is not judged: no answers are generated."
    return HypothesisResult("H1", claim, _any([each.judgement for each in evidence]), told, evidence)


def _h2(rows: Sequence[ItemResult], budget: int, timing: Timing | None) -> HypothesisResult:
    claim = "Weights bring more critical evidence into the first three places, for at most 20 % more time (median)."
    critical = _tagged(rows, "critical")
    sides = [of_cell(critical, mode, budget) for mode in ("weighted_graph_static", "structure_only")]
    test = paired_test(sides[0], sides[1], "top3_recall") if all(sides) else None
    if test is None:
        return HypothesisResult("H2", claim, "undecided", "The two modes were not both run on critical cases.", ())
    (gained,) = _tested({"top3_recall with weights less without": test})
    speeds = [timing.find(mode, budget) if timing else None for mode in ("weighted_graph_static", "structure_only")]
    if speeds[0] is None or speeds[1] is None:
        return HypothesisResult("H2", claim, _all([gained.judgement, "undecided"]), "No times were taken.", (gained,))
    ratio = speeds[0].p50_ms / speeds[1].p50_ms
    kept: Judgement = "supported" if ratio <= H2_LATENCY else "not supported"
    cost = HypothesisFigure(
        "median time with weights over without", Interval(ratio, None, None, speeds[0].queries), kept
    )
    return HypothesisResult(
        "H2", claim, _all([gained.judgement, kept]), f"The median time is {ratio:.2f} times.", (gained, cost)
    )


def _h3(rows: Sequence[ItemResult], budget: int, timing: Timing | None, replays: Sequence[Replay]) -> HypothesisResult:
    claim = (
        "Paths can be replayed: every edge exists, without the last one the unit at the end loses score (where scores are sums, "
        "oftener than without another edge), and the median is below 200 ms."
    )
    run = [mode for mode in WALKING if of_cell(rows, mode, budget)]
    evidence = [each for mode in run for each in _sound(of_cell(rows, mode, budget), timing)]
    evidence += [_mostly_fall(one) for one in replays if one.mode in BEST_WALK]
    ends = "units at the end of a walk of {} that fall without its last edge, less those without another edge"
    sums = [one for one in replays if one.mode not in BEST_WALK]
    evidence += _weighed({ends.format(one.mode): (one.fall.difference, one.fall.p) for one in sums})
    replayed = {one.mode for one in replays}
    lacking = [mode for mode in run if mode not in replayed or timing is None or timing.find(mode, budget) is None]
    judged = _all([each.judgement for each in evidence] + (["undecided"] if lacking else []))
    told = [f"{one.mode}: {_causes(one)}" for one in replays]
    doubt = [f"Without times and replays of {', '.join(lacking)} it cannot be decided in full."] if lacking else []
    none = [] if run else ["No mode that walks was run."]
    return HypothesisResult("H3", claim, judged, " ".join([*told, *doubt, *none]), tuple(evidence))


def _sound(rows: Sequence[ItemResult], timing: Timing | None) -> Iterator[HypothesisFigure]:
    """Of the rows of one mode: whether its edges exist, and whether it is fast."""
    mode, budget = rows[0].mode, rows[0].budget
    shown = [value for row in rows if (value := row.values.get("edge_validity")) is not None]
    if shown:
        all_there = Interval(float(np.mean(shown)), None, None, len(shown))
        right: Judgement = "supported" if min(shown) == 1 else "not supported"
        yield HypothesisFigure(f"edges of {mode} that exist", all_there, right)
    speed = timing.find(mode, budget) if timing else None
    if speed is not None:
        fast: Judgement = "supported" if speed.p50_ms < H3_MEDIAN_MS else "not supported"
        yield HypothesisFigure(f"median ms of {mode}", Interval(speed.p50_ms, None, None, speed.queries), fast)


def _mostly_fall(one: Replay) -> HypothesisFigure:
    """Of a mode that scores by the best walk: other edges cannot be compared with, so most of the last ones must count."""
    share = one.fall.traced
    judgement: Judgement = "undecided"
    if share.low is not None and share.high is not None and not share.low <= H3_MOST <= share.high:
        judgement = "supported" if share.low > H3_MOST else "not supported"
    return HypothesisFigure(
        f"units at the end of a walk of {one.mode} that fall without its last edge", share, judgement
    )


def _causes(one: Replay) -> str:
    """The shares behind a difference."""
    shares = [each.value or 0.0 for each in (one.fall.traced, one.fall.untraced, one.move.traced, one.move.untraced)]
    return (
        f"of {one.fall.traced.n} walks {percent(shares[0])} of the last edges hold up the score of their unit and "
        f"{percent(shares[1])} of others do; {percent(shares[2])} and {percent(shares[3])} also its place."
    )


def _dynamic(rows: Sequence[ItemResult], budget: int) -> HypothesisResult:
    claim = "What was confirmed before helps later questions that leave it out, and no harm to others is to be seen."
    probes = [row for row in rows if row.groups.get("part") == "probe"]
    kinds = {_HELP: _tagged(probes, CONTEXT), _HARM: [row for row in probes if not _has_tag(row, CONTEXT)]}
    tests = {
        (dynamic, kind): test
        for dynamic, static in DYNAMIC
        for kind, among in kinds.items()
        if all(sides := [of_cell(among, mode, budget) for mode in (dynamic, static)])
        and (test := paired_test(sides[0], sides[1], "probe_mrr")) is not None
    }
    static_of = dict(DYNAMIC)
    evidence = _tested(
        {f"probe_mrr of {mode} less {static_of[mode]} on {kind}": test for (mode, kind), test in tests.items()}
    )
    found = dict(zip(tests, evidence, strict=True))
    judged = _any([_helps(found.get((mode, _HELP)), found.get((mode, _HARM))) for mode, _ in tests])
    told = [
        f"{mode} does harm."
        for (mode, kind), each in found.items()
        if kind == _HARM and each.judgement == "not supported"
    ]
    none = "No harm is shown, which is not to say that there is none." if found else "No sequence was run with both."
    return HypothesisResult("dynamic", claim, judged, " ".join(told) or none, evidence)


def _helps(help_: HypothesisFigure | None, harm: HypothesisFigure | None) -> Judgement:
    """Of one mode: a gain where it should help, and no loss to be seen where it might harm; a loss that stands after correction
    decides against it, and one that does not leaves it open."""
    if harm is not None and harm.judgement == "not supported":
        return "not supported"
    # By the mean, and not by its interval: the fewer probes there are, the easier it would be to see no harm.
    unharmed = harm is not None and harm.figure.value is not None and harm.figure.value >= 0
    if help_ is None or (help_.judgement == "supported" and not unharmed):
        return "undecided"
    return help_.judgement


def _tested(tests: Mapping[str, ModeDifference | None]) -> tuple[HypothesisFigure, ...]:
    """Paired tests as evidence."""
    return _weighed({what: (test.difference, test.p) for what, test in tests.items() if test is not None})


def _weighed(found: Mapping[str, tuple[Interval, float]]) -> tuple[HypothesisFigure, ...]:
    """Differences with their p: supported where the interval lies above 0, not supported where it lies below, and neither
    unless the corrected p is below .05."""
    corrected = holm([p for _, p in found.values()])
    return tuple(
        HypothesisFigure(
            what, difference, _JUDGED[direction_of(difference)] if p < ALPHA else "undecided", round_off(p)
        )
        for (what, (difference, _)), p in zip(found.items(), corrected, strict=True)
    )


def _tagged(rows: Sequence[ItemResult], tag: str) -> list[ItemResult]:
    return [row for row in rows if _has_tag(row, tag)]


def _has_tag(row: ItemResult, tag: str) -> bool:
    return tag in row.groups.get("tags", "").split()


def _mean(rows: Sequence[ItemResult], metric: str) -> Callable[[str], float]:
    def mean(mode: str) -> float:
        values = [row.values[metric] for row in rows if row.mode == mode]
        return float(np.mean([value for value in values if value is not None]))

    return mean


def _scaled(rows: Sequence[ItemResult], metric: str, factor: float) -> list[ItemResult]:
    return [
        replace(row, values={**row.values, metric: None if value is None else factor * value})
        for row in rows
        for value in [row.values[metric]]
    ]


def _any(judgements: Sequence[Judgement]) -> Judgement:
    """Of a claim that one of several modes is enough for."""
    if "supported" in judgements:
        return "supported"
    return "not supported" if judgements and set(judgements) == {"not supported"} else "undecided"


def _all(judgements: Sequence[Judgement]) -> Judgement:
    """Of a claim that needs all of its parts."""
    if "not supported" in judgements:
        return "not supported"
    return "supported" if judgements and set(judgements) == {"supported"} else "undecided"
