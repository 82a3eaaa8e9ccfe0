"""What chance makes of effects: signs exchanged by cluster, the largest of all sites; and a model that learnt nothing."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and records are read without it

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.subject import Subject
from constraintsuite.metrics.intervals import IntArray
from constraintsuite.metrics.significance import EXACT_CLUSTERS, PERMUTATIONS

ROUNDING = 1e-5
"""Of the largest margin: what is below is fp32's own, and its sign says nothing."""
_CELLS = 4_000_000  # of the matrix of signs that is in memory at a time
_SAME = 1e-9  # sums that differ by less are the same sum added in another order


class MaxT(NamedTuple):
    """Of each site, from all sites at once."""

    t: FloatArray
    """Sum over clusters by the root of the sum of squares; signed."""
    p: FloatArray
    """Two-sided, corrected: the share of draws in which the largest |t| of any site is as large (Westfall & Young 1993)."""


def max_t(
    effects: FloatArray,  # (contrasts, sites), without gaps
    clusters: IntArray,  # (contrasts,)
    *,
    rng: np.random.Generator,
    draws: int = PERMUTATIONS,
    floor: float = 0.0,  # effects up to this size are taken for 0
) -> MaxT:
    """How sure it is that a site has an effect, given that so many were looked at.

    Under the null the two runs of a contrast could as well have been exchanged, in all contrasts of a cluster at once, so
    that all effects of the cluster change their sign at every site. Exact by enumeration for few clusters; else from random
    draws, the observed one counted among them.
    """
    scaled = _scaled_sums(effects, clusters, floor)
    groups, sites = scaled.shape
    t = scaled.sum(axis=0)
    if not groups or not sites:
        return MaxT(t, np.ones(sites))
    largest = np.sort(np.concatenate([np.abs(signs @ scaled).max(axis=1) for signs in _signs(groups, rng, draws)]))
    beyond = len(largest) - np.searchsorted(largest, np.abs(t) - _SAME, side="left")
    exact = groups <= EXACT_CLUSTERS
    p = beyond / len(largest) if exact else (1 + beyond) / (1 + len(largest))
    return MaxT(t, np.where((scaled != 0).any(axis=0), p, 1.0))


def cluster_t(effects: FloatArray, clusters: IntArray, *, floor: float = 0.0) -> FloatArray:
    """The t of each site alone, as in `MaxT`."""
    t: FloatArray = _scaled_sums(effects, clusters, floor).sum(axis=0)
    return t


def random_twin(subject: Subject, seed: int) -> Subject:
    """A subject of the same shape and tokens whose weights were drawn, never trained."""
    import torch

    trained = subject.model
    devices = [trained.device] if trained.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        model = type(trained)(copy.deepcopy(trained.config))
    for weight in model.parameters():
        weight.requires_grad_(False)
    model = model.to(device=trained.device, dtype=trained.dtype).eval()
    classifier = replace(subject.classifier, model=model)
    name = f"{subject.name}, random weights {seed}"
    return replace(subject, name=name, classifier=classifier, fingerprint=f"{subject.fingerprint}/random-{seed}")


def _scaled_sums(effects: FloatArray, clusters: IntArray, floor: float) -> FloatArray:
    """Sums over clusters, (clusters, sites), by the root of their squares' sum, which no change of signs changes."""
    names, members = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), effects.shape[1]))
    np.add.at(sums, members, np.where(np.abs(effects) <= floor, 0.0, effects))
    norms = np.sqrt((sums * sums).sum(axis=0))
    scaled: FloatArray = sums / np.where(norms > 0, norms, 1.0)
    return scaled


def _signs(groups: int, rng: np.random.Generator, draws: int) -> Iterator[FloatArray]:
    """Rows of signs, a block at a time: every one for few clusters, of which by symmetry half are enough."""
    if groups <= EXACT_CLUSTERS:
        rows = np.arange(2 ** (groups - 1))[:, np.newaxis] >> np.arange(groups) & 1
        yield (1 - 2 * rows).astype(np.float64)
        return
    block = max(1, _CELLS // groups)
    for start in range(0, draws, block):
        shape = (min(block, draws - start), groups)
        yield (1 - 2 * rng.integers(2, size=shape, dtype=np.int8)).astype(np.float64)
