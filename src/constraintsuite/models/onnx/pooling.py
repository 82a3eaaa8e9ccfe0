"""From token vectors to one vector per text, as sentence-transformers defines it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from constraintsuite.models.backends import Pooling
from constraintsuite.models.tokenization import IntArray

Floats = npt.NDArray[np.float32]
PoolingStep = Callable[[Floats], Floats]


def pool(tokens: Floats, mask: IntArray, modes: Sequence[Pooling]) -> Floats:
    """Pool (texts, tokens, dimensions) with a mask (texts, tokens) to (texts, dimensions x modes)."""
    return np.concatenate([_POOLING[mode](tokens, mask) for mode in modes], axis=1, dtype=np.float32)


def normalize(vectors: Floats) -> Floats:
    """Vectors scaled to length one; a zero vector stays zero."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    scaled: Floats = vectors / np.maximum(lengths, np.float32(1e-12))
    return scaled


def linear(weight: Floats, bias: Floats | None, activation: Literal["tanh", "none"]) -> PoolingStep:
    """A linear layer; the weights are (outputs, inputs)."""

    def apply(vectors: Floats) -> Floats:
        # Row by row: a product of matrices sums in an order that depends on how many rows there are.
        rows: Floats = np.stack([weight @ vector for vector in vectors])
        moved = rows if bias is None else rows + bias
        return np.tanh(moved) if activation == "tanh" else moved

    return apply


def _first(tokens: Floats, mask: IntArray) -> Floats:
    first: Floats = tokens[np.arange(len(tokens)), mask.argmax(axis=1)]
    return first


def _last(tokens: Floats, mask: IntArray) -> Floats:
    place = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    last: Floats = tokens[np.arange(len(tokens)), place]
    return last


def _max(tokens: Floats, mask: IntArray) -> Floats:
    most: Floats = np.where(mask[:, :, None] == 1, tokens, -np.inf).max(axis=1)
    return most.astype(np.float32)


def _mean(tokens: Floats, mask: IntArray) -> Floats:
    return _weighted(tokens, mask) / _count(mask)


def _mean_by_root(tokens: Floats, mask: IntArray) -> Floats:
    means = _weighted(tokens, mask)
    means /= np.sqrt(_count(mask))
    return means


def _mean_by_place(tokens: Floats, mask: IntArray) -> Floats:
    """Later tokens count more: the first once, the second twice, and so on."""
    weights = mask * mask.cumsum(axis=1)
    return _weighted(tokens, weights) / _count(weights)


def _weighted(tokens: Floats, weights: IntArray) -> Floats:
    summed: Floats = np.einsum("btd,bt->bd", tokens, weights.astype(np.float32))
    return summed


def _count(weights: IntArray) -> Floats:
    count: Floats = np.maximum(weights.sum(axis=1, keepdims=True), 1).astype(np.float32)
    return count


_POOLING: Mapping[Pooling, Callable[[Floats, IntArray], Floats]] = {
    "cls": _first,
    "max": _max,
    "mean": _mean,
    "mean_sqrt_len_tokens": _mean_by_root,
    "weightedmean": _mean_by_place,
    "lasttoken": _last,
}
