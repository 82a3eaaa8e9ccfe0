"""Batches for a model: planned from the items alone, cached when done, halved when memory runs out.

The last bits of a result depend on the other items of its batch, because of padding. So batches are planned from the items and
never from what is cached, and a cached result is reused only for exactly the same batch: a rerun, or a run that resumes after a
crash, gives the same bytes. The key of a cached result also has the revision of the code, so that a fixed bug does not live on
in the cache.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
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
"""A result that the device is still computing; the call waits for it."""
_AHEAD = 3  # batches that are prepared while the device computes


@dataclass(frozen=True)
class BatchLimits:
    """The largest size of a batch."""

    tokens: int
    """The number of items times the tokens of the longest one."""
    items: int = 4_096
    padding: float = 1.0
    """The largest share of padding in a batch; with 0 all its items have the same length."""


class BatchModel(Protocol[T_contra, Inputs]):
    """A model that handles a batch in two steps, so that the next batch is prepared while one is computed."""

    def prepare(self, items: Sequence[T_contra]) -> Inputs:
        """The padded tokens of a batch; may run in another thread than `compute`."""

    def compute(self, inputs: Inputs) -> CachedArray | Pending:
        """One row per item, now or as a pending result; raises OutOfMemory if the batch is too large."""


def plan_batches(lengths: Sequence[int], limits: BatchLimits) -> list[list[int]]:
    """The positions of the items of each batch, longest first, so that a batch that is too large fails at the start."""
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
class BatchRun(Generic[T, Inputs]):
    """Runs a model over items in batches, with the cache and the reporter of a workbench."""

    title: str
    model: BatchModel[T, Inputs]
    fingerprint: str
    """Hash of the model, and of what it does with an item."""
    key: Callable[[T], str]
    """The text of an item for the cache key: items with equal texts have equal results."""
    limits: BatchLimits
    bench: Workbench
    in_flight: int = 1
    """How many results may be pending while more batches are started, so that the device is never idle."""
    _too_many: float = field(default=math.inf, init=False)  # tokens of the smallest batch that did not fit into memory

    def __call__(self, items: Sequence[T], lengths: Sequence[int]) -> CachedArray:
        """One row per item, in the order of the items."""
        if not items:
            return np.empty(0, dtype=np.float32)
        cache = ArrayCache(self.bench.cache / f"{self.fingerprint}.bin") if self.bench.cache else None
        plan = plan_batches(lengths, self.limits)
        # Without a cache no keys are needed, and hashing all texts would take as long as a fast device does.
        keys = [self._key([items[i] for i in batch]) if cache is not None else "" for batch in plan]
        todo = [number for number, key in enumerate(keys) if cache is None or cache.get(key) is None]
        batches = [_Batch([items[i] for i in plan[n]], [max(1, lengths[i]) for i in plan[n]]) for n in todo]
        started = self._start(batches)
        fresh = self._fetch(started)
        rows: CachedArray | None = None
        # Closed here also after a fault: if that were left to the garbage collector, it could wait for the thread of `_start`
        # while another thread begins, which blocks both.
        with closing(started), self.bench.reporter.track(self.title, len(items)) as advance:
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

    def _start(self, batches: Sequence[_Batch[T]]) -> Generator[tuple[_Batch[T], CachedArray | Pending], None, None]:
        """Batches with their results, in order; the next batches are prepared in another thread."""
        with ThreadPoolExecutor(1) as preparation:
            ahead: deque[Future[Inputs]] = deque()
            for number, batch in enumerate(batches):
                while len(ahead) < _AHEAD and number + len(ahead) < len(batches):
                    ahead.append(preparation.submit(self.model.prepare, batches[number + len(ahead)].items))
                inputs = ahead.popleft().result()
                yield batch, self._compute_halves(batch) if self._is_too_large(batch) else self._try(batch, inputs)

    def _fetch(self, started: Iterable[tuple[_Batch[T], CachedArray | Pending]]) -> Iterator[CachedArray]:
        """The results in order, after waiting for pending ones; results that are there are yielded at once."""
        waiting: deque[tuple[_Batch[T], CachedArray | Pending]] = deque()
        for batch, result in started:
            waiting.append((batch, result))
            while waiting and (len(waiting) > self.in_flight or not callable(waiting[0][1])):
                yield self._finish(*waiting.popleft())
        while waiting:
            yield self._finish(*waiting.popleft())

    def _try(self, batch: _Batch[T], inputs: Inputs) -> CachedArray | Pending:
        try:
            return self.model.compute(inputs)
        except OutOfMemory as reason:
            return self._halve(batch, reason)

    def _finish(self, batch: _Batch[T], result: CachedArray | Pending) -> CachedArray:
        return self._check(batch.items, self._await(batch, result))

    def _await(self, batch: _Batch[T], result: CachedArray | Pending) -> CachedArray:
        try:
            return result() if callable(result) else result
        except OutOfMemory as reason:
            return self._halve(batch, reason)

    def _halve(self, batch: _Batch[T], reason: OutOfMemory) -> CachedArray:
        """The result of a batch that did not fit into memory, computed in halves."""
        if len(batch.items) == 1:
            raise UserError(
                f"{self.title}: even one text alone needs more memory than there is ({reason}). "
                "Set a smaller length=N, or use another device."
            ) from None
        self._too_many = min(self._too_many, batch.tokens)
        self.bench.events.append(
            f"{self.title}: a batch of {len(batch.items)} did not fit into memory and was halved, as are later ones of its size"
        )
        return self._compute_halves(batch)

    def _compute_halves(self, batch: _Batch[T]) -> CachedArray:
        return np.concatenate([self._compute(half) for half in batch.halves()])

    def _compute(self, batch: _Batch[T]) -> CachedArray:
        if self._is_too_large(batch):
            return self._compute_halves(batch)
        return self._await(batch, self._try(batch, self.model.prepare(batch.items)))

    def _is_too_large(self, batch: _Batch[T]) -> bool:
        return len(batch.items) > 1 and batch.tokens >= self._too_many

    def _check(self, batch: Sequence[T], values: CachedArray) -> CachedArray:
        if len(values) != len(batch):
            raise UserError(f"{self.title}: the model gave {len(values)} results for {len(batch)} texts.")
        finite = np.isfinite(values.reshape(len(batch), -1)).all(axis=1)
        if not finite.all():
            item = batch[int(np.flatnonzero(~finite)[0])]
            raise TextError(f"{self.title}: the model gave no finite result for {str(item)[:160]!r}.")
        return values
