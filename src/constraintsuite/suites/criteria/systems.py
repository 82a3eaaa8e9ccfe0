"""Criteria of the guide for baselines: from the results of runs on a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.examples import MINPAIRS, OMISSION, OMISSIONS, Example
from constraintsuite.core.records.figures import ColumnKind, UnitValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.core.statistics.pairwise import METRICS, PairResult
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.suites.audit.groups import group_examples
from constraintsuite.suites.criteria.records import CriterionVerdict, GuideCriterion, is_above, worst

Runs = Mapping[str, Sequence[PairResult]]
"""The results of systems by name."""
NONZERO = 0.99
_ACCURACY, _GAPS = "accuracy is not trivial", "score gaps are non-zero and consistent"
_SLICES, _SIGNAL = "MinPairs is cleaner than Omission", "scores respond to the constraint"
_FAILURES = "there are failure cases"
TARGETS = {
    _ACCURACY: "above 50 %, below 100 %, without Omission",
    _GAPS: "99 % are not zero, and the interval of their mean excludes 0",
    _SLICES: "smaller gaps under the query without the constraint",
    _SIGNAL: "gaps move the right way in more than 50 %",
    _FAILURES: "the violating document wins in some examples",
}


class _System(NamedTuple):
    """The results of one system on the main examples, and which examples are resampled together."""

    results: list[PairResult]
    clusters: IntArray
    seed: int

    def mean(self, column: FloatArray, *, share: bool = True) -> Interval:
        (figure,) = mean_figures([column], self.clusters, self.seed, shares=[share])
        return figure


def judge_systems(suite: str, examples: Sequence[Example], runs: Runs, seed: int) -> Iterator[GuideCriterion]:
    """Every criterion that needs the scores of systems."""
    if not runs:
        note = f"`csuite eval {suite} --model MODEL`"
        yield from (GuideCriterion(name, target, "not_measured", note=note) for name, target in TARGETS.items())
        return
    systems = {name: _system(examples, results, seed) for name, results in runs.items()}
    yield _non_trivial(systems)
    yield _gaps(systems)
    yield _slices(systems)
    yield _signal(systems)
    yield _failures(systems)


def _system(examples: Sequence[Example], results: Sequence[PairResult], seed: int) -> _System:
    known = {result.id: result for result in results}
    scored = [example for example in examples if example.id in known]
    return _System([known[example.id] for example in scored], group_examples(scored)[1], seed)


def _non_trivial(systems: Mapping[str, _System]) -> GuideCriterion:
    """Omission does not count: counting words is enough to win or lose it."""
    found = {}
    for name, one in systems.items():
        counted = np.array([result.slice not in OMISSIONS for result in one.results])
        accuracy = METRICS["accuracy"].column(one.results)
        found[name] = one.mean(np.where(counted, accuracy, np.nan) if counted.any() else accuracy)
    verdicts: list[CriterionVerdict] = ["not_met" if one.value == 1 else is_above(one, 0.5) for one in found.values()]
    return _criterion(_ACCURACY, worst(verdicts), found)


def _gaps(systems: Mapping[str, _System]) -> GuideCriterion:
    figures: dict[str, UnitValue] = {}
    verdicts: list[CriterionVerdict] = []
    for name, one in systems.items():
        nonzero = one.mean(np.array([result.gaps["query"] != 0 for result in one.results], dtype=np.float64))
        mean = one.mean(METRICS["normalised_gap"].column(one.results), share=False)
        figures[f"{name} not zero"] = UnitValue(nonzero, "share")
        figures[f"{name} mean gap in deviations"] = UnitValue(mean, "number")
        one_way = mean.low is not None and mean.high is not None and mean.low * mean.high > 0
        verdicts.append("met" if one_way and (nonzero.value or 0.0) >= NONZERO else "not_met")
    return GuideCriterion(_GAPS, TARGETS[_GAPS], worst(verdicts), figures)


def _slices(systems: Mapping[str, _System]) -> GuideCriterion:
    """Before the constraint is stated, the two documents of a clean pair score alike."""
    figures: dict[str, Interval] = {}
    verdicts: list[CriterionVerdict] = []
    for name, one in systems.items():
        small, large = (one.mean(_topic_gaps(one.results, part), share=False) for part in (MINPAIRS, OMISSION))
        figures |= {f"{name} MinPairs": small, f"{name} Omission": large}
        verdicts.append(_is_smaller(small, large))
    return _criterion(_SLICES, worst(verdicts), figures, "number")


def _topic_gaps(results: Sequence[PairResult], name: str) -> FloatArray:
    """The size of each gap under the topic in deviations of the scores; NaN for other slices, and if it was not scored."""
    return np.array(
        [abs(r.gaps["topic"]) / r.unit if r.slice == name and r.unit and "topic" in r.gaps else np.nan for r in results]
    )


def _is_smaller(small: Interval, large: Interval) -> CriterionVerdict:
    if small.value is None or large.value is None or small.high is None or large.low is None:
        return "not_measured"
    if small.value >= large.value:
        return "not_met"
    return "met" if small.high < large.low else "too_few"


def _signal(systems: Mapping[str, _System]) -> GuideCriterion:
    found = {name: one.mean(METRICS["responsiveness"].column(one.results)) for name, one in systems.items()}
    return _criterion(_SIGNAL, worst(is_above(one, 0.5) for one in found.values()), found)


def _failures(systems: Mapping[str, _System]) -> GuideCriterion:
    wrong = {
        name: one.mean(np.array([result.outcomes["query"] == "wrong" for result in one.results], dtype=np.float64))
        for name, one in systems.items()
    }
    return _criterion(_FAILURES, "met" if all(one.value for one in wrong.values()) else "not_met", wrong)


def _criterion(
    name: str, verdict: CriterionVerdict, figures: Mapping[str, Interval], kind: ColumnKind = "share"
) -> GuideCriterion:
    shown = {label: UnitValue(figure, kind) for label, figure in figures.items()}
    return GuideCriterion(name, TARGETS[name], verdict, shown)
