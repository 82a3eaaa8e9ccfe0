"""Krippendorff's alpha (2011), of two annotators or more, with gaps, for any distance between two answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

import numpy as np

from constraintsuite.metrics.intervals import FloatArray
from constraintsuite.metrics.ratings import Coefficient, Corrected, Counted
from constraintsuite.metrics.sets import SET_DISTANCES

AnswerScale = Literal["nominal", "ordinal", "interval", "jaccard", "masi"]
"""How far apart two answers are: other or the same, ranks, numbers, and two distances between sets."""


def alpha(counted: Counted, scale: AnswerScale) -> Coefficient:
    """One less the disagreement that was seen, as a share of what chance would give."""
    answers = counted.answers
    counts = np.where(answers[:, np.newaxis] >= 2, counted.counts, 0)  # a value without a partner cannot disagree
    held = counted.per_cluster(counts)
    share = 1 / np.maximum(answers - 1, 1)
    if scale == "ordinal":
        return _ordinal_alpha(counted, counts, held, share)
    between = _distances(counted.values, scale)
    apart = counted.per_cluster(((counts @ between) * counts).sum(axis=1) * share)

    def coefficient(times: FloatArray) -> Corrected:
        values = times @ held
        n = np.maximum(values.sum(axis=1), 2)
        expected = ((values @ between) * values).sum(axis=1) / (n * (n - 1))
        observed = times @ apart / n
        return _without_unit(observed, expected) if scale == "interval" else Corrected(1 - observed, 1 - expected)

    return coefficient


def _ordinal_alpha(counted: Counted, counts: FloatArray, held: FloatArray, share: FloatArray) -> Coefficient:
    """Two values are as far apart as the answers that lie between them: squared differences of their middle ranks."""
    together = counted.per_cluster(np.einsum("ic,ik,i->ick", counts, counts, share))  # coincidences, by cluster
    width = counts.shape[1]

    def coefficient(times: FloatArray) -> Corrected:
        values = times @ held
        ranks = np.cumsum(values, axis=1) - values / 2
        between = (ranks[:, :, np.newaxis] - ranks[:, np.newaxis, :]) ** 2
        n = np.maximum(values.sum(axis=1), 2)
        seen = (times @ together.reshape(-1, width * width)).reshape(between.shape)
        expected = np.einsum("dc,dk,dck->d", values, values, between) / (n * (n - 1))
        return _without_unit((seen * between).sum(axis=(1, 2)) / n, expected)

    return coefficient


def _without_unit(observed: FloatArray, expected: FloatArray) -> Corrected:
    """Ranks and numbers are as far apart as one likes, so what chance gives is the unit: 1 of it is no agreement."""
    return Corrected(1 - observed / np.where(expected > 0, expected, 1), np.where(expected > 0, 0.0, 1.0))


def _distances(values: Sequence[Hashable], scale: AnswerScale) -> FloatArray:
    if scale == "nominal":
        return 1 - np.eye(len(values))
    if scale == "interval":
        numbers = np.array([float(str(value)) for value in values])
        return np.asarray((numbers[:, np.newaxis] - numbers[np.newaxis, :]) ** 2, dtype=np.float64)
    distance = SET_DISTANCES[scale]
    sets = [value if isinstance(value, AbstractSet) else frozenset((value,)) for value in values]
    return np.array([[distance(one, other) for other in sets] for one in sets]).reshape(len(sets), len(sets))
