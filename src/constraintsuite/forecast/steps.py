"""What each step of a build will take at a size, on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from constraintsuite.build.build import PIPELINE
from constraintsuite.build.recipe import Recipe
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.costs import SUITE, BuildCost, MapCost
from constraintsuite.forecast.growth import Fit, Point, Range, fit

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

    def fit(self, quantity: Callable[[BuildCost], float], *, by_examples: bool = False) -> Fit:
        """How a quantity of a build grows."""

        def points(builds: Sequence[BuildCost]) -> list[Point]:
            return [Point(build.examples if by_examples else build.documents, quantity(build)) for build in builds]

        return fit(points(self.small), points(self.large))

    def mean(self, quantity: Callable[[BuildCost], float]) -> float:
        """A quantity that does not grow."""
        builds = (*self.small, *self.large)
        return sum(map(quantity, builds)) / len(builds)


@dataclass(frozen=True)
class SpreadStep:
    """The part of a step that is done in shards."""

    work: Fit
    """Seconds of all shards together, one after the other."""
    start: float
    """Seconds until the workers have something to do."""
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
        """Seconds at a size."""
        share = self.turns / self.shards * self.longest / self.efficiency
        fixed = self.start + self.load
        return self.work.at(x).times(share).plus(Range(fixed, fixed, fixed))


@dataclass(frozen=True)
class Step:
    """What one step takes."""

    name: str
    unit: str
    """What it goes through: documents or examples."""
    units: float
    driver: Fit
    spread: SpreadStep | None
    kept: float
    """Documents, or examples, of which it writes something."""
    stored: Fit
    """Bytes of that."""

    @property
    def seconds(self) -> Range:
        """On the cluster."""
        alone = self.driver.at(self.units)
        return alone if self.spread is None else alone.plus(self.spread.at(self.units))


def foretell_steps(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> list[Step]:
    """Every step at so many documents; those that see examples alone at as many as there will be."""
    examples = foretell_examples(recipe, samples, documents)
    return [_foretell(name, samples, documents, examples, cluster) for name in STEPS]


def foretell_examples(recipe: Recipe, samples: Samples, documents: int) -> float:
    """Main examples: in proportion to the larger samples, and no more than the recipe wants."""
    found = sum(build.examples for build in samples.large) / sum(build.documents for build in samples.large)
    return min(float(recipe.sizes.main), found * documents)


def _foretell(name: str, samples: Samples, documents: int, examples: float, cluster: Cluster) -> Step:
    few, writes_few = name in BY_EXAMPLES, name in WRITE_EXAMPLES
    spread = bool(samples.large[0].stage(name).maps)
    return Step(
        name,
        "examples" if few else "documents",
        examples if few else documents,
        samples.fit(lambda build: build.stage(name).driver, by_examples=few),
        _spread(name, samples, documents, cluster) if spread else None,
        examples if writes_few else documents,
        samples.fit(lambda build: build.stage(name).stored, by_examples=writes_few),
    )


def _spread(name: str, samples: Samples, documents: int, cluster: Cluster) -> SpreadStep:
    def total(quantity: Callable[[MapCost], float]) -> Callable[[BuildCost], float]:
        return lambda build: sum(quantity(each) for each in build.stage(name).maps)

    shards = max(len(each.tasks) for each in samples.large[0].stage(name).maps)
    busy = min(cluster.all_workers, shards)
    alone = cluster.all_workers == 1
    return SpreadStep(
        work=samples.fit(total(lambda each: each.warm)),
        start=0.0 if alone else samples.mean(total(lambda each: each.start)),
        load=samples.mean(total(lambda each: each.load)),
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
