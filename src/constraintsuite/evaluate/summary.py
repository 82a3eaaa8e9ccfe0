"""The figures of a run, overall and by group, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.build.audit.groups import group_examples
from constraintsuite.build.audit.results import GroupKind
from constraintsuite.execution.shards import stable_hash
from constraintsuite.metrics.intervals import DRAWS, estimate
from constraintsuite.metrics.pairwise import METRICS, PairResult
from constraintsuite.records.examples import Example
from constraintsuite.records.scores import Interval

Judged = tuple[Example, PairResult]


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some examples."""

    examples: int
    groups: int
    """Sets of examples that are resampled as one."""
    resampled: GroupKind
    """What these are: all that are joined by shared documents, or where that joins most of them, couples only."""
    metrics: dict[str, Interval]


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run. Controls stand only under `by.slice` and `by.control`, never among the main examples."""

    suite: str
    model: str
    seed: int
    draws: int
    overall: Group
    by: dict[str, dict[str, Group]]


MAIN_GROUPINGS: dict[str, Callable[[Example], str]] = {
    "split": lambda example: example.split,
    "domain": lambda example: example.domain or "none",
    "relation": lambda example: example.relation or "none",
    "edited": lambda example: "edited" if example.tags.edited else "natural",
}


def summarise(
    suite: str, model: str, examples: Sequence[Judged], controls: Sequence[Judged], *, seed: int, draws: int = DRAWS
) -> Summary:
    """All figures of a run; the draws of a group depend on the seed and the group alone."""

    def groups(name: str, judged: Sequence[Judged], key: Callable[[Example], str]) -> dict[str, Group]:
        parts: dict[str, list[Judged]] = {}
        for example, result in judged:
            parts.setdefault(key(example), []).append((example, result))
        return {part: _group(parts[part], _generator(seed, name, part), draws) for part in sorted(parts)}

    by = {
        "slice": groups("slice", [*examples, *controls], lambda example: example.suite),
        **{name: groups(name, examples, key) for name, key in MAIN_GROUPINGS.items()},
        "control": groups("control", controls, lambda example: example.control.kind if example.control else "none"),
    }
    return Summary(suite, model, seed, draws, _group(examples, _generator(seed, "overall"), draws), by)


def _generator(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng([seed, stable_hash("bootstrap", *names)])


def _group(judged: Sequence[Judged], rng: np.random.Generator, draws: int) -> Group:
    results = [result for _, result in judged]
    grouping = group_examples([example for example, _ in judged])
    columns = np.column_stack([metric.column(results) for metric in METRICS.values()])
    intervals = estimate(columns, [metric.share for metric in METRICS.values()], grouping.groups, rng=rng, draws=draws)
    return Group(
        examples=len(judged),
        groups=len(np.unique(grouping.groups)),
        resampled=grouping.kind,
        metrics={name: _rounded(interval) for name, interval in zip(METRICS, intervals, strict=True)},
    )


def _rounded(interval: Interval) -> Interval:
    """Nine significant digits: the last bits of a sum depend on the processor, the file must not."""
    value, low, high = (None if x is None else float(f"{x:.9g}") for x in (interval.value, interval.low, interval.high))
    return Interval(value, low, high, interval.n)
