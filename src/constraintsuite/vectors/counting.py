"""Passing things on while they are counted for whoever waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_STEP = 1_000


def counted(items: Iterable[T], advance: Callable[[int], None]) -> Iterator[T]:
    """The same things; each thousand of them is told when it has passed, and what is left at the end."""
    count = 0
    for count, item in enumerate(items, 1):
        yield item
        if count % _STEP == 0:
            advance(_STEP)
    if count % _STEP:
        advance(count % _STEP)
