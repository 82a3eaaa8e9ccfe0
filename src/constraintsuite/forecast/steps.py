"""What each step of a build will take at a size, on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from constraintsuite.core.execution.record_isolation import BLOCK_RECORDS
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.costs import SUITE, BuildCost, MapCost
from constraintsuite.forecast.growth import STEEPEST, Fit, GrowthPoint, Range, fit
from constraintsuite.suites.build import PIPELINE
from constraintsuite.suites.recipe import Recipe

STEPS = (*PIPELINE.names()[:-1], SUITE)
BY_EXAMPLES = ("controls", SUITE)
"""Steps that see examples alone, of which a recipe wants so many at most."""
WRITE_EXAMPLES = ("tagged", *BY_EXAMPLES)
"""Steps that write examples alone."""


@dataclass(frozen=True)
class Samples:
    """The builds that were watched: small and large ones, as many of each, all with the same number of workers."""

    small: tuple[BuildCost, ...]
    large: tuple[BuildCost, ...]
    efficiency: float
    """What a worker does beside another, to what it does alone."""
    shards: int
    """Shards of each build."""

    def fit(self, quantity: Callable[[BuildCost], float], *, by_examples: bool = False) -> Fit:
        """How a quantity of a build grows with its documents, or its examples."""
        return self._fit(quantity, lambda build: build.examples if by_examples else build.documents)

    def fit_memory(self, held: Callable[[BuildCost], float], size: Callable[[BuildCost], float]) -> Fit:
        """How memory grows with something: in proportion at most, as later steps use first what earlier ones left."""
        return self._fit(held, size, steepest=1.0)

    def portion(self, build: BuildCost) -> float:
        """Documents of a shard of a build that are in memory at a time."""
        return portion_of(build.documents, self.shards)

    def _fit(
        self, quantity: Callable[[BuildCost], float], size: Callable[[BuildCost], float], steepest: float = STEEPEST
    ) -> Fit:
        def points(builds: Sequence[BuildCost]) -> list[GrowthPoint]:
            return [GrowthPoint(size(build), quantity(build)) for build in builds]

        return fit(points(self.small), points(self.large), steepest)

    @property
    def all(self) -> tuple[BuildCost, ...]:
        """All builds, small ones first."""
        return (*self.small, *self.large)

    def middle(self, quantity: Callable[[BuildCost], float]) -> float:
        """A quantity that does not grow."""
        return median(map(quantity, self.all))


@dataclass(frozen=True)
class SpreadStep:
    """The part of a step that is done in shards."""

    work: Fit
    """Seconds of all shards together, one after the other."""
    load: float
    """Seconds until a worker is at its pace."""
    shards: int
    busy: int
    """Workers that have a shard."""
    turns: int
    """Shards of the worker with most of them."""
    longest: float
    """What falls to the busiest worker, to an even share: shards differ in length."""
    efficiency: float

    def at(self, x: float) -> Range:
        """Seconds on the cluster at a size."""
        share = self.turns / self.shards * self.longest / self.efficiency
        return self.work.at(x).times(share).plus(Range(self.load, self.load, self.load))


@dataclass(frozen=True)
class StepCost:
    """The time and the storage of one step at the planned size."""

    name: str
    unit: str
    """What it goes through: documents or examples."""
    units: float
    driver: Fit
    spread: SpreadStep | None
    kept: float
    """Documents, or examples, of which it writes something."""
    stored: Fit
    """How the bytes of what it writes grow."""

    @property
    def seconds(self) -> Range:
        """Seconds on the cluster, driver and shards together."""
        alone = self.driver.at(self.units)
        return alone if self.spread is None else alone.plus(self.spread.at(self.units))


def portion_of(documents: int, shards: int) -> float:
    """Documents that a worker has in memory at a time: a shard, and no more than it takes at once."""
    return min(documents / shards, float(BLOCK_RECORDS))


def estimate_steps(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> list[StepCost]:
    """Every step at so many documents; those that see examples alone at as many as there will be."""
    examples = estimate_examples(recipe, samples, documents)
    return [_estimate(name, recipe, samples, documents, examples, cluster) for name in STEPS]


def estimate_examples(recipe: Recipe, samples: Samples, documents: int) -> float:
    """Main examples: in proportion to the larger samples, and no more than the recipe wants."""
    found = sum(build.examples for build in samples.large) / sum(build.documents for build in samples.large)
    return min(float(recipe.sizes.main), found * documents)


def estimate_pairs(recipe: Recipe, samples: Samples, documents: int) -> float:
    """Pairs that an evaluation will score; none where no example came of the samples, from which nothing can be estimated."""
    examples = sum(build.examples for build in samples.large)
    pairs = sum(build.pairs for build in samples.large)
    return pairs / examples * estimate_examples(recipe, samples, documents) if examples else 0.0


def _estimate(
    name: str, recipe: Recipe, samples: Samples, documents: int, examples: float, cluster: Cluster
) -> StepCost:
    few, writes_few = name in BY_EXAMPLES, name in WRITE_EXAMPLES
    spread = bool(samples.large[0].stage(name).maps)
    return StepCost(
        name,
        "examples" if few else "documents",
        examples if few else documents,
        samples.fit(lambda build: build.stage(name).driver, by_examples=few),
        _spread(name, samples, documents, recipe.documents.shards, cluster) if spread else None,
        examples if writes_few else documents,
        samples.fit(lambda build: build.stage(name).stored, by_examples=writes_few),
    )


def _spread(name: str, samples: Samples, documents: int, shards: int, cluster: Cluster) -> SpreadStep:
    def total(quantity: Callable[[MapCost], float]) -> Callable[[BuildCost], float]:
        return lambda build: sum(quantity(each) for each in build.stage(name).maps)

    busy = min(cluster.all_workers, shards)
    alone = cluster.all_workers == 1
    return SpreadStep(
        # What a sample takes with hardly any documents, its shards take, each of them the same.
        work=samples.fit(total(lambda each: each.warm)).with_fixed(shards / samples.shards),
        load=samples.middle(total(lambda each: each.load)),
        shards=shards,
        busy=busy,
        turns=math.ceil(shards / busy),
        longest=1.0 if busy == 1 else 1 + (longest_shard(documents, shards) - 1) / math.ceil(shards / busy),
        efficiency=1.0 if alone else samples.efficiency,
    )


def longest_shard(documents: int, shards: int) -> float:
    """The largest of so many shards to their mean: documents fall into them by hash, so their numbers are near Poisson."""
    mean = documents / shards
    return min(float(shards), 1 + math.sqrt(2 * math.log(shards) / mean)) if shards > 1 else 1.0
