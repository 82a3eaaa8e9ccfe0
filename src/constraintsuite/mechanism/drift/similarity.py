"""How alike two checkpoints are: rankings of sites, linear CKA of activations, a linear probe of one on the other, and weights."""

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
from constraintsuite.mechanism.effects.records import BoolArray, FloatArray
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.sites import Site

if TYPE_CHECKING:
    import torch


def order_of(importance: FloatArray) -> IntArray:
    """Places of the sites, the most important first; of equal ones, in the order given."""
    order: IntArray = np.argsort(-importance, kind="stable").astype(np.int64)
    return order


def top_sites(importance: FloatArray, count: int) -> frozenset[int]:
    """Places of the most important sites."""
    return frozenset(order_of(importance)[:count].tolist())


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Members of both by members of either."""
    return len(one & other) / len(one | other)


def chance_jaccard(sites: int, count: int) -> float:
    """The mean over two circuits of `count` out of `sites`, both drawn by chance."""
    return float(sum(chance * Fraction(k, 2 * count - k) for k, chance in enumerate(_shared(sites, count))))


def chance_of_sharing(sites: int, count: int, shared: int) -> float:
    """That two circuits drawn by chance share so many sites or more."""
    return float(sum(_shared(sites, count)[shared:], Fraction(0)))


def weighted_overlap(one: FloatArray, other: FloatArray) -> float:
    """What two distributions of importance have at the same sites, by what either has (Ruzicka)."""
    a, b = _mass(one), _mass(other)
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def moved_mass(one: FloatArray, other: FloatArray, layers: IntArray) -> float:
    """How far importance must be carried from layer to layer to make one distribution the other, in layers."""
    count = int(layers.max()) + 1
    a, b = (np.bincount(layers, weights=_mass(values), minlength=count) for values in (one, other))
    return float(np.abs(np.cumsum(a - b)).sum())


def _mass(importance: FloatArray) -> FloatArray:
    total = importance.sum()
    return importance / total if total > 0 else np.full(len(importance), 1 / len(importance))


def _shared(sites: int, count: int) -> Sequence[Fraction]:
    """The chance of sharing 0, 1, ... `count` sites, exactly."""
    ways = math.comb(sites, count)
    return [
        Fraction(math.comb(count, k) * math.comb(sites - count, count - k), ways)
        if count - k <= sites - count
        else Fraction(0)
        for k in range(count + 1)
    ]


FEWEST = 8
"""Rows below which nothing is said."""
_MOST_PARTS = 40  # left out in turn: of more clusters, several at once


def cka_interval(one: FloatArray, other: FloatArray, clusters: IntArray, rng: np.random.Generator) -> Interval:
    """CKA of rows (n, width) and (n, other width); without a value where one of the two does not vary.

    Its bounds are from the jackknife over clusters: rows that are drawn twice would be alike by themselves.
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
    centred = rows - rows.mean(axis=0)  # changes no estimate, and keeps large means from eating digits
    gram: FloatArray = centred @ centred.T
    return gram


def _cka(one: FloatArray, other: FloatArray) -> float | None:
    if len(one) < 4:
        return None
    scale = _hsic(one, one) * _hsic(other, other)
    return float(_hsic(one, other) / np.sqrt(scale)) if scale > 0 else None


def _hsic(one: FloatArray, other: FloatArray) -> float:
    """Unbiased, up to the factor that all three of a CKA share; the diagonals are left out."""
    n = len(one)
    product = float((one * other).sum() - np.diag(one) @ np.diag(other))
    sums, other_sums = (gram.sum(axis=1) - np.diag(gram) for gram in (one, other))
    whole = float(sums.sum() * other_sums.sum()) / ((n - 1) * (n - 2))
    return product + whole - 2 * float(sums @ other_sums) / (n - 2)


def _parts(clusters: IntArray) -> IntArray:
    """Clusters dealt out to at most so many parts."""
    names, members = np.unique(clusters, return_inverse=True)
    if len(names) <= _MOST_PARTS:
        return members.astype(np.int64)
    order = sorted(range(len(names)), key=lambda number: stable_hash("jackknife", str(names[number])))
    part = np.empty(len(names), dtype=np.int64)
    part[order] = np.arange(len(names)) % _MOST_PARTS
    found: IntArray = part[members]
    return found


PENALTY = 0.1
"""Of the line's length, as a share of the differences' mean square: there are often fewer of them than dimensions."""


def fit_line(differences: FloatArray) -> FloatArray:
    """The direction along which all differences (clean less corrupt, a row each) are as near to 1 as a penalty lets them."""
    gram = differences @ differences.T
    scale = float(np.trace(gram)) / len(gram)
    weights = np.linalg.solve(gram + PENALTY * (scale or 1.0) * np.eye(len(gram)), np.ones(len(gram)))
    line: FloatArray = differences.T @ weights
    return line


def told_apart(line: FloatArray, differences: FloatArray, clusters: IntArray, rng: np.random.Generator) -> Interval:
    """Share of differences that point along the line; one that lies across it counts one half."""
    along = differences @ line
    right = np.where(along > 0, 1.0, np.where(along < 0, 0.0, 0.5))
    (found,) = estimate(right[:, np.newaxis], [True], clusters, rng=rng)
    return found


def usable(differences: FloatArray) -> BoolArray:
    """Rows without gaps: a contrast may lack a role."""
    whole: BoolArray = np.logical_and.reduce(np.isfinite(differences), axis=1)
    return whole


def head_changes(first: LoadedModel, second: LoadedModel) -> dict[Site, float]:
    """Of each head's own queries, keys and values, and its share of the projection behind; shared keys count for each."""
    return {
        head: _relative(zip(_head_weights(first, head), _head_weights(second, head), strict=True))
        for head in first.sites({"head"})
    }


def part_changes(first: LoadedModel, second: LoadedModel) -> dict[str, float]:
    """Of the embeddings, and of all weights of each block."""
    whole = {"embeddings": tuple(model.module.get_submodule(model.family.embeddings) for model in (first, second))}
    whole |= {f"L{layer}": pair for layer, pair in enumerate(zip(first.blocks, second.blocks, strict=True))}
    return {
        name: _relative(zip(one.parameters(), other.parameters(), strict=True)) for name, (one, other) in whole.items()
    }


def against_others(changes: Mapping[Site, float], circuit: Collection[Site], rng: np.random.Generator) -> Interval:
    """How much more heads of a circuit changed than the others of their layers; layers change by different amounts."""
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
