"""Requests to a server with retries, several at a time; results are in the order of the requests."""

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
from constraintsuite.core.store.http.errors import BadAnswerError, TransientError
from constraintsuite.models.base import Workbench

T = TypeVar("T")
R = TypeVar("R")
FIRST_WAIT = 0.5
"""Seconds before the first retry; the time doubles after each further failure."""
_LONGEST_WAIT, _LONGEST_REQUESTED_WAIT = 30.0, 300.0
_DAY = 86_400.0


class RetryingClient:
    """Sends requests to an endpoint, and repeats failed ones up to `retries` times."""

    def __init__(self, endpoint: Endpoint, retries: int, bench: Workbench) -> None:
        self.endpoint = endpoint
        self.pause: Callable[[float], object] = endpoint.stopped.wait
        """Waits for some seconds, or until the endpoint is stopped."""
        self._retries = retries
        self.has_cached_answers = False
        """Whether an answer of this run is in the cache."""
        self._bench = bench
        self._lock = threading.Lock()
        self._repeats: Counter[str] = Counter()

    def ask_with_retries(
        self,
        body_of: Callable[[int], str],
        read: Callable[[object], R],
        read_last: Callable[[object], R] | None = None,
    ) -> R:
        """The result of `read` for the answer, or of `read_last` for the last attempt; both raise BadAnswerError if it is unusable.

        `body_of` gives the request, from the number of unusable answers so far.
        """
        rng = keyed_random(0, "retry", body_of(0))
        unusable = 0
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                return (read_last if last and read_last else read)(self.endpoint.ask(body_of(unusable)))
            except TransientError as fault:
                unusable += isinstance(fault, BadAnswerError)
                seconds = wait_seconds(fault, attempt, rng)
                if last or seconds > _LONGEST_REQUESTED_WAIT:
                    raise self._given_up(fault, attempt + 1, seconds) from None
                self._count_repeat(fault)
                self.pause(seconds)
        raise AssertionError("the last attempt returns or raises")

    def ask_all(
        self, title: str, items: Sequence[T], work: Callable[[T], R], sizes: Sequence[int], concurrency: int
    ) -> list[R]:
        """The result of `work`, which sends a request, for each item; several at a time. Progress counts the sizes."""
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
                    if not isinstance(reason, UserError):  # after a UserError, running requests may end and are cached
                        self.endpoint.stop()
                    raise
        finally:
            self.endpoint.close()
            self._record_repeats(title)
        return [future.result() for future in futures]

    def _count_repeat(self, fault: TransientError) -> None:
        with self._lock:
            self._repeats[fault.kind] += 1
            if self._repeats[fault.kind] == 1:  # one note for all threads and attempts
                self._bench.reporter.note(f"{self.endpoint.url}: {fault.kind}; asking again for a while")

    def _given_up(self, fault: TransientError, attempts: int, seconds: float) -> UserError:
        times = "once" if attempts == 1 else f"{attempts} times"
        later = f"in {math.ceil(seconds)} s" if seconds <= _DAY else "after more than a day"
        when = f" {later} (the server asks for that delay)" if fault.wait else ""
        hints = {"no connection": "Is the server running? ", "timeout": "A greater timeout=SECONDS may help. "}
        result = fault.describe(self.endpoint.hide)
        kept = "The answers so far were cached" if self.has_cached_answers else "No answer was cached"
        onwards = "resumes after them" if self.has_cached_answers else "starts from the beginning"
        return UserError(
            f"{self.endpoint.url} failed {times}; the last error was: {result}. {hints.get(fault.kind, '')}{kept}. "
            f"Run the same command again{when}; it {onwards}."
        )

    def _record_repeats(self, title: str) -> None:
        with self._lock:
            for kind, count in sorted(self._repeats.items()):
                self._bench.events.append(f"{title}: {count} request{'s' * (count > 1)} repeated after {kind}")
            self._repeats.clear()


def wait_seconds(fault: TransientError, attempt: int, rng: random.Random) -> float:
    """The wait that the server asks for, else a random part of a doubling time, so that requests do not come in waves."""
    return rng.uniform(0, min(_LONGEST_WAIT, FIRST_WAIT * 2**attempt)) if fault.wait is None else fault.wait
