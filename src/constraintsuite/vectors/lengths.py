"""How long vectors are: what cannot be is a fault, and vectors of length zero are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from constraintsuite.vectors.matrices import BLOCK_ROWS, Matrix, blocks_of

_UNIT = 1e-3
ZERO = "_of_length_zero"


class VectorLengths(NamedTuple):
    """What was found in a matrix."""

    zeros: int
    """Rows that are zero: no similarity tells them apart, and a cosine with them is not defined."""
    fault: str = ""
    """What is wrong with the first row that cannot be right."""
    row: int = 0


def check_lengths(matrix: Matrix, slack: float | None) -> VectorLengths:
    """Look at every row, in blocks; with `slack`, each has length 1, give or take that much, or is zero."""
    zeros = 0
    for number, block in enumerate(blocks_of(matrix)):
        start = number * BLOCK_ROWS
        norms = np.linalg.norm(block.astype(np.float64), axis=1)
        zeros += int((norms == 0).sum())
        if not np.isfinite(norms).all():
            return VectorLengths(zeros, "is not finite", start + int(np.flatnonzero(~np.isfinite(norms))[0]))
        if slack is not None and (wrong := (np.abs(norms - 1) > slack) & (norms > 0)).any():
            row = start + int(np.flatnonzero(wrong)[0])
            return VectorLengths(zeros, "is not of length 1, though the encoder normalises", row)
    return VectorLengths(zeros)


def slack_of(facts: Mapping[str, object]) -> float | None:
    """How far from 1 the lengths of an encoder's vectors may be; None if its last layer is not one that normalises."""
    layers = facts.get("after_pooling") or facts.get("layers")
    if not isinstance(layers, list | tuple) or not layers or str(layers[-1]).lower() != "normalize":
        return None
    whole = facts.get("precision") in (None, "fp32", "int8")
    return _UNIT if whole else 10 * _UNIT  # half the bits, divided in them too


def zero_count(plural: str) -> str:
    """Under which name the zero vectors of documents or of queries are counted."""
    return f"{plural}{ZERO}"
