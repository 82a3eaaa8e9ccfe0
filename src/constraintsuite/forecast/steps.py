"""Time and storage of each step of a build, estimated for a number of documents on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from statistics import median

from constraintsuite.core.execution.record_isolation import BLOCK_RECORDS
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.costs import SUITE, BuildCost, MapCost
from constraintsuite.forecast.growth import STEEPEST, Fit, GrowthPoint, Range, fit
from constraintsuite.suites.build import PIPELINE
from constraintsuite.suites.recipe import Recipe

STEPS = (*PIPELINE.names()[:-1], SUITE)
BY_EXAMPLES = ("controls", SUITE)
"""Steps that read only examples, whose number a recipe limits."""
WRITE_EXAMPLES = ("tagged", *BY_EXAMPLES)
"""Steps that write only examples."""


BuildQuantity = Callable[[BuildCost], float]
documents_of: BuildQuantity = attrgetter("documents")
examples_of: BuildQuantity = attrgetter("examples")


@dataclass(frozen=True)
class Samples:
    """The measured builds: as many small as large ones, all with the same number of workers."""

    small: tuple[BuildCost, ...]
    large: tuple[BuildCost, ...]
    efficiency: float
    """Speed of each of two workers, relative to one alone."""
    shards: int
    """Shards of each build."""

    def fit(self, quantity: BuildQuantity, size: BuildQuantity = documents_of, steepest: float = STEEPEST) -> Fit:
        """How a quantity of a build grows with a size of it: its documents, if no other is given."""
        small, large = ([GrowthPoint(size(one), quantity(one)) for one in some] for some in (self.small, self.large))
        return fit(small, large, steepest)

    def fit_memory(self, peak: BuildQuantity, size: BuildQuantity) -> Fit:
        """How memory grows with a size: at most in proportion, since later steps reuse the memory of earlier ones."""
        return self.fit(peak, size, steepest=1.0)

    def portion(self, build: BuildCost) -> float:
        """Documents of a shard that a worker holds at once, in that build."""
        return portion_of(build.documents, self.shards)

    @property
    def all(self) -> tuple[BuildCost, ...]:
        """All builds, small ones first."""
        return (*self.small, *self.large)

    def median(self, quantity: BuildQuantity) -> float:
        """The median of a quantity that does not grow."""
        return median(map(quantity, self.all))


@dataclass(frozen=True)
class SpreadStep:
    """The part of a step that workers do, shard by shard."""

    work: Fit
    """Seconds of all shards, one after the other."""
    load: float
    """Seconds that a worker spends on loading, with its first shard."""
    shards: int
    busy: int
    """Workers that get a shard."""
    turns: int
    """Shards of the worker with the most."""
    longest: float
    """Work of the busiest worker, relative to an even share: shards differ in length."""
    efficiency: float

    def at(self, x: float) -> Range:
        """Seconds on the cluster for `x` documents."""
        share = self.turns / self.shards * self.longest / self.efficiency
        return self.work.at(x).times(share).plus(Range(self.load, self.load, self.load))


@dataclass(frozen=True)
class StepCost:
    """Time and storage of one step at the planned size."""

    name: str
    unit: str
    """What it reads: documents or examples."""
    units: float
    driver: Fit
    spread: SpreadStep | None
    kept: float
    """Number of documents or examples that it writes."""
    stored: Fit
    """Growth of the bytes that it writes."""

    @property
    def seconds(self) -> Range:
        """Seconds on the cluster, driver and shards together."""
        alone = self.driver.at(self.units)
        return alone if self.spread is None else alone.plus(self.spread.at(self.units))


def portion_of(documents: int, shards: int) -> float:
    """Documents that a worker holds at once: a shard, or as many as it reads at a time."""
    return min(documents / shards, float(BLOCK_RECORDS))


def estimate_steps(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> list[StepCost]:
    """Estimate every step for that many documents, or for the examples that they will give."""
    examples = estimate_examples(recipe, samples, documents)
    return [_estimate(name, recipe, samples, documents, examples, cluster) for name in STEPS]


def estimate_examples(recipe: Recipe, samples: Samples, documents: int) -> float:
    """Number of main examples: in proportion to the larger samples, up to the limit of the recipe."""
    found = sum(build.examples for build in samples.large) / sum(build.documents for build in samples.large)
    return min(float(recipe.sizes.main), found * documents)


def estimate_pairs(recipe: Recipe, samples: Samples, documents: int) -> float:
    """Number of pairs that an evaluation will score; 0 if the samples gave no example."""
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
        samples.fit(lambda build: build.stage(name).driver, examples_of if few else documents_of),
        _spread(name, samples, documents, recipe.documents.shards, cluster) if spread else None,
        examples if writes_few else documents,
        samples.fit(lambda build: build.stage(name).stored, examples_of if writes_few else documents_of),
    )


def _spread(name: str, samples: Samples, documents: int, shards: int, cluster: Cluster) -> SpreadStep:
    def total(quantity: Callable[[MapCost], float]) -> BuildQuantity:
        return lambda build: sum(quantity(each) for each in build.stage(name).maps)

    busy = min(cluster.all_workers, shards)
    alone = cluster.all_workers == 1
    return SpreadStep(
        # The fixed part of a sample is the cost of its shards, so it is multiplied if the recipe has more.
        work=samples.fit(total(lambda each: each.work_seconds)).with_fixed(shards / samples.shards),
        load=samples.median(total(lambda each: each.load)),
        shards=shards,
        busy=busy,
        turns=math.ceil(shards / busy),
        longest=1.0 if busy == 1 else 1 + (longest_shard(documents, shards) - 1) / math.ceil(shards / busy),
        efficiency=1.0 if alone else samples.efficiency,
    )


def longest_shard(documents: int, shards: int) -> float:
    """Expected size of the largest shard relative to the mean: documents are spread by hash, so counts are near Poisson."""
    mean = documents / shards
    return min(float(shards), 1 + math.sqrt(2 * math.log(shards) / mean)) if shards > 1 else 1.0
