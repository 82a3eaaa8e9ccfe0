"""The figures of a run, overall and by group, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.metrics.intervals import DRAWS, connected_components, estimate
from constraintsuite.metrics.pairwise import METRICS, PairResult
from constraintsuite.records.examples import Example
from constraintsuite.records.scores import Interval

Judged = tuple[Example, PairResult]


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some examples."""

    examples: int
    clusters: int
    """Sets of examples that share no document with one another: intervals rest on these."""
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
    clusters = connected_components([_links(example) for example, _ in judged])
    columns = np.column_stack([metric.column(results) for metric in METRICS.values()])
    intervals = estimate(columns, [metric.share for metric in METRICS.values()], clusters, rng=rng, draws=draws)
    return Group(
        examples=len(judged),
        clusters=len(np.unique(clusters)),
        metrics={name: _rounded(interval) for name, interval in zip(METRICS, intervals, strict=True)},
    )


def _links(example: Example) -> list[str]:
    couple = [f"couple:{example.couple}"] if example.couple else []
    return couple + [f"cluster:{cluster}" for cluster in example.clusters]


def _rounded(interval: Interval) -> Interval:
    """Nine significant digits: the last bits of a sum depend on the processor, the file must not."""
    value, low, high = (None if x is None else float(f"{x:.9g}") for x in (interval.value, interval.low, interval.high))
    return Interval(value, low, high, interval.n)
