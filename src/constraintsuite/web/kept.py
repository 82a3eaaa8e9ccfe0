"""What was made once and may be asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar, cast

T = TypeVar("T")


class LruCache:
    """At most so many things; the least used goes first. Whoever asks while one is being made waits for that."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, object] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What has this key; many visitors at once need it made once."""
        with self._lock:
            if key in self._things:
                return cast(T, self._recall(key))
            turn = self._making.setdefault(key, Lock())
        with turn:
            with self._lock:
                if key in self._things:
                    return cast(T, self._recall(key))
            try:
                made = make()
                self._add(key, made)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def _recall(self, key: Hashable) -> object:
        self._things.move_to_end(key)
        return self._things[key]

    def _add(self, key: Hashable, made: object) -> None:
        with self._lock:
            self._things[key] = made
            while len(self._things) > self._most:
                self._things.popitem(last=False)
