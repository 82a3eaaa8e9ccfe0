"""How similar two checkpoints are: rankings of sites, linear CKA of activations, linear probes, and weights."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, clipped
from constraintsuite.core.statistics.resampling import estimate, jackknife
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.sites import Site

if TYPE_CHECKING:
    import torch


def order_of(importance: FloatArray) -> IntArray:
    """Indices of the sites, the most important first; equal ones in their order."""
    return np.argsort(-importance, kind="stable").astype(np.int64)


def top_sites(importance: FloatArray, count: int) -> frozenset[int]:
    """Indices of the most important sites."""
    return frozenset(order_of(importance)[:count].tolist())


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """The number of shared members divided by the number of all members."""
    return len(one & other) / len(one | other)


def chance_jaccard(sites: int, count: int) -> float:
    """The mean Jaccard similarity of two random circuits of `count` out of `sites`."""
    return float(sum(chance * Fraction(k, 2 * count - k) for k, chance in enumerate(_shared(sites, count))))


def chance_of_sharing(sites: int, count: int, shared: int) -> float:
    """The probability that two random circuits share at least `shared` sites."""
    return float(sum(_shared(sites, count)[shared:], Fraction(0)))


def weighted_overlap(one: FloatArray, other: FloatArray) -> float:
    """The overlap of two distributions of importance (Ruzicka similarity)."""
    a, b = _mass(one), _mass(other)
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def moved_mass(one: FloatArray, other: FloatArray, layers: IntArray) -> float:
    """Earth mover's distance of two distributions of importance over layers, in layers."""
    count = int(layers.max()) + 1
    a, b = (np.bincount(layers, weights=_mass(values), minlength=count) for values in (one, other))
    return float(np.abs(np.cumsum(a - b)).sum())


def _mass(importance: FloatArray) -> FloatArray:
    total = importance.sum()
    return importance / total if total > 0 else np.full(len(importance), 1 / len(importance))


def _shared(sites: int, count: int) -> Sequence[Fraction]:
    """The exact probabilities that two random circuits share 0, 1, ... `count` sites."""
    ways = math.comb(sites, count)
    return [
        Fraction(math.comb(count, k) * math.comb(sites - count, count - k), ways)
        if count - k <= sites - count
        else Fraction(0)
        for k in range(count + 1)
    ]


FEWEST = 8
"""The smallest number of rows for a figure."""
_MOST_PARTS = 40  # of the jackknife; more clusters than that are grouped


def cka_interval(one: FloatArray, other: FloatArray, clusters: IntArray, rng: np.random.Generator) -> Interval:
    """CKA of rows (n, width) and (n, other width); undefined if one of them does not vary.

    The interval is a jackknife over clusters: a bootstrap draws rows twice, and equal rows raise CKA.
    """
    count = len(one)
    missing = Interval(None, None, None, count)
    if count < FEWEST:
        return missing
    a, b = _gram(one), _gram(other)
    value = _cka(a, b)
    if value is None:
        return missing
    parts = _parts(clusters)
    left = [np.flatnonzero(parts != part) for part in np.unique(parts)]
    without = [_cka(a[np.ix_(kept, kept)], b[np.ix_(kept, kept)]) for kept in left]
    found = np.array([np.nan if each is None else each for each in without])
    return clipped(jackknife(value, found, count, rng=rng), -1.0, 1.0)


def _gram(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=0)  # changes no estimate, but keeps precision if means are large
    gram: FloatArray = centred @ centred.T
    return gram


def _cka(one: FloatArray, other: FloatArray) -> float | None:
    if len(one) < 4:
        return None
    scale = _hsic(one, one) * _hsic(other, other)
    return float(_hsic(one, other) / np.sqrt(scale)) if scale > 0 else None


def _hsic(one: FloatArray, other: FloatArray) -> float:
    """Unbiased HSIC without diagonals, up to a factor that cancels in CKA."""
    n = len(one)
    product = float((one * other).sum() - np.diag(one) @ np.diag(other))
    sums, other_sums = (gram.sum(axis=1) - np.diag(gram) for gram in (one, other))
    whole = float(sums.sum() * other_sums.sum()) / ((n - 1) * (n - 2))
    return product + whole - 2 * float(sums @ other_sums) / (n - 2)


def _parts(clusters: IntArray) -> IntArray:
    """Group clusters into at most `_MOST_PARTS` parts."""
    names, members = np.unique(clusters, return_inverse=True)
    if len(names) <= _MOST_PARTS:
        return members.astype(np.int64)
    order = sorted(range(len(names)), key=lambda number: stable_hash("jackknife", str(names[number])))
    part = np.empty(len(names), dtype=np.int64)
    part[order] = np.arange(len(names)) % _MOST_PARTS
    return part[members]


PENALTY = 0.1
"""The ridge penalty, as a share of the mean square of the differences: there are often fewer of them than dimensions."""


def fit_line(differences: FloatArray) -> FloatArray:
    """The direction of a probe by ridge regression: differences, clean minus corrupt, should be 1 along it."""
    gram = differences @ differences.T
    scale = float(np.trace(gram)) / len(gram)
    weights = np.linalg.solve(gram + PENALTY * (scale or 1.0) * np.eye(len(gram)), np.ones(len(gram)))
    return differences.T @ weights


def probe_accuracy(line: FloatArray, differences: FloatArray, clusters: IntArray, rng: np.random.Generator) -> Interval:
    """The share of differences that point along the direction; 0 counts one half."""
    along = differences @ line
    right = np.where(along > 0, 1.0, np.where(along < 0, 0.0, 0.5))
    (found,) = estimate(right[:, np.newaxis], [True], clusters, rng=rng)
    return found


def head_changes(first: LoadedModel, second: LoadedModel) -> dict[Site, float]:
    """The relative change of each head: of its queries, keys, values, and its part of the output projection."""
    return {
        head: _relative(zip(_head_weights(first, head), _head_weights(second, head), strict=True))
        for head in first.sites({"head"})
    }


def part_changes(first: LoadedModel, second: LoadedModel) -> dict[str, float]:
    """The relative change of the embeddings, and of each block."""
    whole = {"embeddings": tuple(model.module.get_submodule(model.family.embeddings) for model in (first, second))}
    whole |= {f"L{layer}": pair for layer, pair in enumerate(zip(first.blocks, second.blocks, strict=True))}
    return {
        name: _relative(zip(one.parameters(), other.parameters(), strict=True)) for name, (one, other) in whole.items()
    }


def against_others(changes: Mapping[Site, float], circuit: Collection[Site], rng: np.random.Generator) -> Interval:
    """How much more the heads of a circuit changed than other heads of their layers."""
    found = []
    for head in sorted(site for site in circuit if site in changes):
        others = [value for site, value in changes.items() if site.layer == head.layer and site not in circuit]
        if others:
            found.append(changes[head] - math.fsum(others) / len(others))
    values = np.array(found, dtype=np.float64)
    (interval,) = estimate(values[:, np.newaxis], [False], np.arange(len(found)), rng=rng)
    return interval


def _head_weights(model: LoadedModel, head: Site) -> Iterator[torch.Tensor]:
    shared = len([site for site in model.sites({"key"}) if site.layer == 0])
    group = head.head * shared // model.heads
    parts = (Site(head.layer, "query", head.head), Site(head.layer, "key", group), Site(head.layer, "value", group))
    for point in map(model.hook_point, parts):
        yield point.module.weight[point.part]
    behind = model.hook_point(head)
    yield behind.module.weight[:, behind.part]


def _relative(pairs: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> float:
    import torch

    moved = before = 0.0
    with torch.no_grad():
        for old, new in pairs:
            moved += float((new.double() - old.double()).square().sum())
            before += float(old.double().square().sum())
    return math.sqrt(moved / before) if before else 0.0
