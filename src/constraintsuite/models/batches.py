"""Work for a model in batches: planned from the items alone, kept when done, halved where memory ends.

A batch's result depends a little on its other members (padding moves the last bits). So batches are planned from the items
and never from what is cached, and a result is reused only for exactly the same batch: a rerun, or a run that goes on after
a crash, gives the same bytes. The key of a result also holds the revision of the code that made it, so that a mended fault is
not handed on from the cache.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.cache import ArrayCache, CachedArray
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.models.base import OutOfMemory, TextError, Workbench

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
Inputs = TypeVar("Inputs")
Pending = Callable[[], CachedArray]
"""A result that the device still works on; calling it waits for it."""
_AHEAD = 3  # batches that are prepared while the device works


@dataclass(frozen=True)
class BatchLimits:
    """How large a batch may be."""

    tokens: int
    """Items times the longest of them."""
    items: int = 4_096
    padding: float = 1.0
    """Largest share of a batch that may be padding; with 0 all its items are of one length."""


class BatchModel(Protocol[T_contra, Inputs]):
    """What a model does with a batch, in two steps, so that the first can run beside the second."""

    def prepare(self, items: Sequence[T_contra]) -> Inputs:
        """The tokens of a batch, padded to the longest item; may run in another thread than `compute`."""

    def compute(self, inputs: Inputs) -> CachedArray | Pending:
        """One row an item, now or when asked for; raises OutOfMemory if there are too many."""


def plan_batches(lengths: Sequence[int], limits: BatchLimits) -> list[list[int]]:
    """Positions of items by batch, longest first, so that a batch that is too large fails at once."""
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable").tolist()
    batches: list[list[int]] = []
    longest = room = filled = 0
    for i in order:
        count = len(batches[-1]) + 1 if batches else 1
        padding = count * longest - filled - lengths[i]
        if count > room or padding > limits.padding * count * longest:
            longest = max(1, lengths[i])
            room = max(1, min(limits.items, limits.tokens // longest))
            filled = 0
            batches.append([])
        batches[-1].append(i)
        filled += lengths[i]
    return batches


class _Batch(NamedTuple, Generic[T]):
    items: Sequence[T]
    lengths: Sequence[int]

    @property
    def tokens(self) -> int:
        """How many tokens the batch has, padding included."""
        return len(self.items) * max(self.lengths)

    def halves(self) -> tuple[_Batch[T], _Batch[T]]:
        """The first half and the rest."""
        middle = len(self.items) // 2
        return _Batch(self.items[:middle], self.lengths[:middle]), _Batch(self.items[middle:], self.lengths[middle:])


@dataclass
class _Room:
    """What was learnt of the device's memory."""

    too_many: float = float("inf")
    """Tokens that did not fit: what is as large is cut up before it is tried in vain."""


@dataclass(frozen=True)
class BatchRun(Generic[T, Inputs]):
    """Runs a model over items, with what a bench offers."""

    title: str
    model: BatchModel[T, Inputs]
    fingerprint: str
    """Of the model, and of what it does with an item."""
    key: Callable[[T], str]
    """An item as text: equal texts, equal results."""
    limits: BatchLimits
    bench: Workbench
    in_flight: int = 1
    """How many pending results may wait while more batches are started, so that the device never does."""
    _room: _Room = field(default_factory=_Room)  # of this run alone, so that a shard's batches are its own affair

    def __call__(self, items: Sequence[T], lengths: Sequence[int]) -> CachedArray:
        """One row an item, in the order of the items."""
        if not items:
            return np.empty(0, dtype=np.float32)
        cache = ArrayCache(self.bench.cache / f"{self.fingerprint}.bin") if self.bench.cache else None
        plan = plan_batches(lengths, self.limits)
        # Without a cache nobody asks for the keys, and hashing all texts takes as long as a fast device does.
        keys = [self._key([items[i] for i in batch]) if cache is not None else "" for batch in plan]
        todo = [number for number, key in enumerate(keys) if cache is None or cache.get(key) is None]
        batches = [_Batch([items[i] for i in plan[n]], [max(1, lengths[i]) for i in plan[n]]) for n in todo]
        fresh = self._fetched(self._started(batches))
        rows: CachedArray | None = None
        with self.bench.reporter.track(self.title, len(items)) as advance:
            missing = set(todo)
            for number, (batch, key) in enumerate(zip(plan, keys, strict=True)):
                values = next(fresh) if number in missing or cache is None else cache.get(key)
                if values is None:
                    raise UserError(f"{cache and cache.path}: changed while it was read. Run the command again.")
                if cache is not None and number in missing:
                    cache.put(key, values)
                if rows is None:
                    rows = np.empty((len(items), *values.shape[1:]), dtype=values.dtype)
                rows[batch] = values
                advance(len(batch))
        assert rows is not None
        return rows

    def _key(self, batch: Sequence[T]) -> str:
        return sha256_text(str(REVISIONS["arrays"]), self.fingerprint, *(self.key(item) for item in batch))

    def _started(self, batches: Sequence[_Batch[T]]) -> Iterator[tuple[_Batch[T], CachedArray | Pending]]:
        """Batches and their results in order; the next ones are prepared meanwhile."""
        with ThreadPoolExecutor(1) as beside:
            ahead: deque[Future[Inputs]] = deque()
            for number, batch in enumerate(batches):
                while len(ahead) < _AHEAD and number + len(ahead) < len(batches):
                    ahead.append(beside.submit(self.model.prepare, batches[number + len(ahead)].items))
                inputs = ahead.popleft().result()
                yield batch, self._in_pieces(batch) if self._is_too_large(batch) else self._tried(batch, inputs)

    def _fetched(self, started: Iterable[tuple[_Batch[T], CachedArray | Pending]]) -> Iterator[CachedArray]:
        """The results themselves, in order; what is there already is not held back."""
        waiting: deque[tuple[_Batch[T], CachedArray | Pending]] = deque()
        for batch, result in started:
            waiting.append((batch, result))
            while waiting and (len(waiting) > self.in_flight or not callable(waiting[0][1])):
                yield self._finished(*waiting.popleft())
        while waiting:
            yield self._finished(*waiting.popleft())

    def _tried(self, batch: _Batch[T], inputs: Inputs) -> CachedArray | Pending:
        try:
            return self.model.compute(inputs)
        except OutOfMemory as reason:
            return self._halved(batch, reason)

    def _finished(self, batch: _Batch[T], result: CachedArray | Pending) -> CachedArray:
        return self._checked(batch.items, self._awaited(batch, result))

    def _awaited(self, batch: _Batch[T], result: CachedArray | Pending) -> CachedArray:
        try:
            return result() if callable(result) else result
        except OutOfMemory as reason:
            return self._halved(batch, reason)

    def _halved(self, batch: _Batch[T], reason: OutOfMemory) -> CachedArray:
        """The result of a batch that did not fit, in pieces."""
        if len(batch.items) == 1:
            raise UserError(
                f"{self.title}: even one text alone needs more memory than there is ({reason}). "
                "Set a smaller length=N, or use another device."
            ) from None
        self._room.too_many = min(self._room.too_many, batch.tokens)
        self.bench.events.append(
            f"{self.title}: a batch of {len(batch.items)} did not fit into memory and was halved, as are later ones of its size"
        )
        return self._in_pieces(batch)

    def _in_pieces(self, batch: _Batch[T]) -> CachedArray:
        return np.concatenate([self._at_once(half) for half in batch.halves()])

    def _at_once(self, batch: _Batch[T]) -> CachedArray:
        if self._is_too_large(batch):
            return self._in_pieces(batch)
        return self._awaited(batch, self._tried(batch, self.model.prepare(batch.items)))

    def _is_too_large(self, batch: _Batch[T]) -> bool:
        return len(batch.items) > 1 and batch.tokens >= self._room.too_many

    def _checked(self, batch: Sequence[T], values: CachedArray) -> CachedArray:
        if len(values) != len(batch):
            raise UserError(f"{self.title}: the model gave {len(values)} results for {len(batch)} texts.")
        finite = np.isfinite(values.reshape(len(batch), -1)).all(axis=1)
        if not finite.all():
            item = batch[int(np.flatnonzero(~finite)[0])]
            raise TextError(f"{self.title}: the model gave no finite result for {str(item)[:160]!r}.")
        return values
