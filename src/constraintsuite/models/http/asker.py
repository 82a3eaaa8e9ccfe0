"""Asks a server patiently, several questions at a time; results stand in the order of the questions, whenever they came."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.store.http.endpoint import Endpoint
from constraintsuite.core.store.http.errors import BadAnswer, PassingFault
from constraintsuite.models.base import Workbench

T = TypeVar("T")
R = TypeVar("R")
FIRST_WAIT = 0.5
"""Seconds; twice as long after each further failure."""
_LONGEST_WAIT, _LONGEST_REQUESTED_WAIT = 30.0, 300.0
_DAY = 86_400.0


class Asker:
    """Asks an endpoint, and again where that may help: `retries` times at most, each after a while."""

    def __init__(self, endpoint: Endpoint, retries: int, bench: Workbench) -> None:
        self.endpoint = endpoint
        self.pause: Callable[[float], object] = endpoint.stopped.wait
        """Waits for some seconds; this one ends when the endpoint is stopped."""
        self._retries = retries
        self.keeps = False
        """Whether some answer of this run outlives it."""
        self._bench = bench
        self._lock = threading.Lock()
        self._repeats: Counter[str] = Counter()

    def ask_anew(
        self,
        body_of: Callable[[int], str],
        read: Callable[[object], R],
        at_last: Callable[[object], R] | None = None,
    ) -> R:
        """What `read` makes of the answer, or `at_last` after the last repetition; they raise BadAnswer if it is unusable.

        `body_of` gives the request after so many unusable answers.
        """
        rng = keyed_random(0, "retry", body_of(0))
        spoilt = 0
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                return (at_last if last and at_last else read)(self.endpoint.ask(body_of(spoilt)))
            except PassingFault as fault:
                spoilt += isinstance(fault, BadAnswer)
                seconds = wait_seconds(fault, attempt, rng)
                if last or seconds > _LONGEST_REQUESTED_WAIT:
                    raise self._given_up(fault, attempt + 1, seconds) from None
                self._count_repeat(fault)
                self.pause(seconds)
        raise AssertionError("the last attempt returns or raises")

    def ask_all(
        self, title: str, items: Sequence[T], work: Callable[[T], R], sizes: Sequence[int], concurrency: int
    ) -> list[R]:
        """What `work`, which asks, gives for each item; several at a time, told to who watches by their sizes."""
        try:
            with self._bench.reporter.track(title, sum(sizes)) as advance, ThreadPoolExecutor(concurrency) as threads:
                futures = {threads.submit(work, item): size for item, size in zip(items, sizes, strict=True)}
                try:
                    for future in as_completed(futures):
                        future.result()
                        advance(futures[future])
                except BaseException as reason:
                    for future in futures:
                        future.cancel()
                    if not isinstance(reason, UserError):  # else what is under way may end, and is kept
                        self.endpoint.stop()
                    raise
        finally:
            self.endpoint.close()
            self._tell_repeats(title)
        return [future.result() for future in futures]

    def _count_repeat(self, fault: PassingFault) -> None:
        with self._lock:
            self._repeats[fault.kind] += 1
            if self._repeats[fault.kind] == 1:  # of many threads and attempts one speaks for all
                self._bench.reporter.note(f"{self.endpoint.url}: {fault.kind}; asking again for a while")

    def _given_up(self, fault: PassingFault, attempts: int, seconds: float) -> UserError:
        times = "once" if attempts == 1 else f"{attempts} times"
        later = f"in {math.ceil(seconds)} s" if seconds <= _DAY else "after more than a day"
        when = f" {later}, as the server asks" if fault.wait else ""
        hints = {"no connection": "Is the server running? ", "timeout": "A greater timeout=SECONDS may help. "}
        said = fault.describe(self.endpoint.hide)
        kept = "What was answered so far is kept" if self.keeps else "No answer is kept so far"
        onwards = "goes on from there" if self.keeps else "begins anew"
        return UserError(
            f"{self.endpoint.url} was asked {times}, the last time with this result: {said}. {hints.get(fault.kind, '')}"
            f"{kept}: the same command, run again{when}, {onwards}."
        )

    def _tell_repeats(self, title: str) -> None:
        with self._lock:
            for kind, count in sorted(self._repeats.items()):
                self._bench.events.append(f"{title}: {count} request{'s' * (count > 1)} repeated after {kind}")
            self._repeats.clear()


def wait_seconds(fault: PassingFault, attempt: int, rng: random.Random) -> float:
    """What the server asks for; else a random share of a time that doubles, so that requests do not come in waves."""
    return rng.uniform(0, min(_LONGEST_WAIT, FIRST_WAIT * 2**attempt)) if fault.wait is None else fault.wait
