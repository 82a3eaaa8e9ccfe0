"""Parts of a set of items, which grow as items are joined."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable


class UnionFind:
    """Items, by number, joined into parts; each points towards the first item of its part."""

    def __init__(self, count: int) -> None:
        self._parent = array("I", range(count))
        self._size = array("I", [1]) * count

    def join(self, items: Iterable[int], limit: float = math.inf) -> None:
        """Join the parts of these items, unless the result would have more than `limit` items."""
        firsts = sorted({self.first(item) for item in items})
        if len(firsts) > 1 and sum(self._size[first] for first in firsts) <= limit:
            for other in firsts[1:]:
                self._parent[other] = firsts[0]
                self._size[firsts[0]] += self._size[other]

    def first(self, item: int) -> int:
        """The first item of an item's part."""
        parent = self._parent
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    def firsts(self) -> array[int]:
        """The first item of every item's part."""
        return array("I", map(self.first, range(len(self._parent))))
