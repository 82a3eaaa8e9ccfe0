"""Texts that a model reads alike, because they differ only behind the point where it stops reading.

The same tokens in two rows of a batch can give numbers that differ in their last bits. So they are put into one row: what
the model cannot tell apart must be a tie, not a matter of luck.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T", bound=Hashable)


def mark_of(tokens: Sequence[int] | npt.NDArray[np.int64]) -> bytes:
    """A short mark of some tokens."""
    return hashlib.sha256(np.asarray(tokens, dtype="<i8").tobytes()).digest()


def first_alike(items: Sequence[T], marks: Sequence[bytes]) -> dict[T, T]:
    """For each item the first one that has the same mark; itself, if there is no other."""
    first: dict[bytes, T] = {}
    return {item: first.setdefault(mark, item) for item, mark in zip(items, marks, strict=True)}
