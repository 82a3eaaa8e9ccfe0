"""Samples that are really built here, small ones and large ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from constraintsuite.execution.progress import Reporter
from constraintsuite.forecast.costs import BuildCost
from constraintsuite.forecast.probe import watch_build
from constraintsuite.forecast.sampling import Taken, shards_of, write_sample
from constraintsuite.forecast.steps import Samples
from constraintsuite.suites.recipe import Recipe

_PARTS = (4, 2)
_LEAST_EFFICIENCY = 0.3


class _Sample(NamedTuple):
    draw: int
    size: int


@dataclass(frozen=True)
class SampleFolder:
    """Where samples are written and built."""

    scratch: Path

    def recipe(self, draw: int, size: int) -> Path:
        """The recipe of a sample."""
        return self.folder(draw, size) / "recipe.yaml"

    def folder(self, draw: int, size: int) -> Path:
        """A sample."""
        return self.scratch / f"sample-{draw}-{size}"

    def suite(self, draw: int, size: int, name: str = "") -> Path:
        """What was built of it."""
        return self.scratch / f"suite-{draw}-{size}{name}"


def build_samples(
    recipe: Recipe, taken: Taken, count: int, ground: SampleFolder, reporter: Reporter, *, spread: bool
) -> Samples:
    """Build every draw, and a part of it; where several workers are planned, one once more alone, to compare."""
    samples = _samples(taken)
    for sample in samples:
        documents = taken.draws[sample.draw][: sample.size]
        write_sample(recipe, documents, sample.size / count, ground.folder(*sample))
    again = [samples[1]] if spread else []
    _announce(samples + again, reporter)
    with reporter.track("documents", sum(sample.size for sample in samples + again)) as advance:

        def build(sample: _Sample, workers: int, name: str = "") -> BuildCost:
            cost = watch_build(ground.recipe(*sample), ground.suite(*sample, name), workers, sample.size)
            advance(sample.size)
            return cost

        costs = [build(sample, 2 if spread else 1) for sample in samples]
        alone = [build(sample, 1, "-alone") for sample in again]
    efficiency = _efficiency(alone[0], costs[1]) if alone else 1.0
    return Samples(tuple(costs[::2]), tuple(costs[1::2]), efficiency, shards_of(recipe))


def _samples(taken: Taken) -> list[_Sample]:
    """Of each draw a part, then all of it. Where a draw is the whole corpus, a second one would be the same again."""
    large = len(taken.draws[0])
    draws = 1 if taken.whole and large == taken.read else len(taken.draws)
    return [_Sample(draw, size) for draw in range(draws) for size in (large // _PARTS[draw % 2], large)]


def _announce(samples: Sequence[_Sample], reporter: Reporter) -> None:
    sizes = sorted(sample.size for sample in samples)
    reporter.note(
        f"Building {len(samples)} samples here, of {sizes[0]:,} to {sizes[-1]:,} documents, {sum(sizes):,} in all: minutes, not "
        "seconds. Nothing is kept of them. A smaller --sample is quicker and less sure."
    )


def _efficiency(alone: BuildCost, beside: BuildCost) -> float:
    """What a worker does beside another, to what it does alone."""
    return min(1.0, max(_LEAST_EFFICIENCY, _warm(alone) / _warm(beside)))


def _warm(build: BuildCost) -> float:
    return max(1e-9, sum(each.warm for stage in build.stages for each in stage.maps))
