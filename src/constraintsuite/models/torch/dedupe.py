"""Texts that a model reads alike, because they differ only behind the point where it stops reading.

The same tokens in two rows of a batch can give numbers that differ in their last bits. So they are put into one row: what
the model cannot tell apart must be a tie, not a matter of luck.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def first_alike(items: Sequence[T], marks: Sequence[bytes]) -> dict[T, T]:
    """For each item the first one that has the same mark; itself, if there is no other."""
    first: dict[bytes, T] = {}
    return {item: first.setdefault(mark, item) for item, mark in zip(items, marks, strict=True)}
