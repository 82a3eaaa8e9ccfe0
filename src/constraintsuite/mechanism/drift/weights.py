"""How far weights have moved: relative Frobenius norms of what was added to them."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.sites import Site
from constraintsuite.metrics.resampling import estimate
from constraintsuite.records.scores import Interval

if TYPE_CHECKING:
    import torch


def head_changes(first: LoadedModel, second: LoadedModel) -> dict[Site, float]:
    """Of each head's own queries, keys and values, and its share of the projection behind; shared keys count for each."""
    return {
        head: _relative(zip(_head_weights(first, head), _head_weights(second, head), strict=True))
        for head in first.sites({"head"})
    }


def part_changes(first: LoadedModel, second: LoadedModel) -> dict[str, float]:
    """Of the embeddings, and of all weights of each block."""
    whole = {"embeddings": tuple(subject.model.get_submodule(subject.family.embeddings) for subject in (first, second))}
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


def _head_weights(subject: LoadedModel, head: Site) -> Iterator[torch.Tensor]:
    shared = len([site for site in subject.sites({"key"}) if site.layer == 0])
    group = head.head * shared // subject.heads
    parts = (Site(head.layer, "query", head.head), Site(head.layer, "key", group), Site(head.layer, "value", group))
    for point in map(subject.hook_point, parts):
        yield point.module.weight[point.part]
    behind = subject.hook_point(head)
    yield behind.module.weight[:, behind.part]


def _relative(pairs: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> float:
    import torch

    moved = before = 0.0
    with torch.no_grad():
        for old, new in pairs:
            moved += float((new.double() - old.double()).square().sum())
            before += float(old.double().square().sum())
    return math.sqrt(moved / before) if before else 0.0
