"""Asks a server patiently, several questions at a time, and remembers every answer.

Answers are kept by what was asked, as soon as they come: a run that was stopped goes on where it was, and a rerun asks
nothing. Results stand in the order of the questions, whenever they came.
"""

from __future__ import annotations

import json
import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.execution.shards import keyed_random
from constraintsuite.models.base import Fact, Workbench
from constraintsuite.models.http.address import RemoteSettings
from constraintsuite.models.http.transport import BadAnswer, Endpoint, PassingFault
from constraintsuite.models.naming import ModelName
from constraintsuite.store.cache import ArrayCache
from constraintsuite.store.files import sha256_text

T = TypeVar("T")
R = TypeVar("R")
Body = Mapping[str, Fact]
FIRST_WAIT = 0.5
"""Seconds; twice as long after each further failure."""
_LONGEST_WAIT, _LONGEST_REQUESTED_WAIT = 30.0, 300.0


class Answer(NamedTuple):
    """What a server gave: numbers, and the model that it says they are of (empty if it says nothing)."""

    values: npt.NDArray[np.float64]
    model: str


Reader = Callable[[object], Answer]
"""Takes an answer as decoded from JSON; raises BadAnswer if it is not what was asked for."""


@dataclass(frozen=True)
class Patience:
    """How often and after what time a request is repeated."""

    retries: int
    pause: Callable[[float], object] | None = None
    """Waits for some seconds; None for a wait that ends when the endpoint is stopped."""

    def seconds(self, fault: PassingFault, attempt: int, rng: random.Random) -> float:
        """What the server asks for; else a random share of a time that doubles, so that requests do not come in waves."""
        if fault.wait is not None:
            return fault.wait
        return rng.uniform(0, min(_LONGEST_WAIT, FIRST_WAIT * 2**attempt))


class Client:
    """Asks an endpoint on behalf of one model."""

    def __init__(self, endpoint: Endpoint, fingerprint: str, patience: Patience, bench: Workbench) -> None:
        self.endpoint = endpoint
        self._fingerprint = fingerprint
        self._patience = patience
        self._bench = bench
        self._cache = ArrayCache(bench.cache / f"{fingerprint}.bin") if bench.cache else None
        self._lock = threading.Lock()
        self._repeats: Counter[str] = Counter()
        self._models: set[str] = set()
        self._keeps = False  # whether some answer of this run lies in the cache

    @classmethod
    def connect(cls, name: ModelName, url: str, settings: RemoteSettings, fingerprint: str, bench: Workbench) -> Client:
        """A client with a user's settings; `fingerprint` is of all that decides what the server answers to a body."""
        endpoint = Endpoint(url, settings.key(name), settings.timeout)
        return cls(endpoint, fingerprint, Patience(settings.retries), bench)

    @property
    def models(self) -> list[str]:
        """The names that the server gave in its answers, those of earlier runs that were used again included."""
        return sorted(self._models)

    def knows(self, body: Body) -> bool:
        """Whether the answer is there already."""
        return self._remembered(self._key(body)) is not None

    def ask(self, body: Body, read: Reader, at_last: Reader | None = None) -> Answer:
        """The answer, from memory if it is there; `at_last` reads it in place of `read` after the last repetition."""
        key = self._key(body)
        answer = self._remembered(key)
        if answer is None:
            given = self._ask_patiently(body, read, at_last or read)
            answer = given._replace(model=self.endpoint.hide(given.model))  # the name is stored and shown
            self._remember(key, answer)
        if answer.model:
            self._models.add(answer.model)
        return answer

    def ask_all(
        self, title: str, items: Sequence[T], work: Callable[[T], R], sizes: Sequence[int], concurrency: int
    ) -> list[R]:
        """What `work`, which calls `ask`, gives for each item; several at a time, told to who watches by their sizes."""
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

    def _ask_patiently(self, body: Body, read: Reader, at_last: Reader) -> Answer:
        rng = keyed_random(0, "retry", json.dumps(body))
        spoilt = 0
        for attempt in range(self._patience.retries + 1):
            last = attempt == self._patience.retries
            try:
                answer = self.endpoint.post(json.dumps(_with_next_seed(body, spoilt)))
                return (at_last if last else read)(answer)
            except PassingFault as fault:
                spoilt += isinstance(fault, BadAnswer)
                seconds = self._patience.seconds(fault, attempt, rng)
                if last or seconds > _LONGEST_REQUESTED_WAIT:
                    raise self._given_up(fault, attempt + 1, seconds) from None
                with self._lock:
                    self._repeats[fault.kind] += 1
                    if self._repeats[fault.kind] == 1:  # of many threads and attempts one speaks for all
                        self._bench.reporter.note(f"{self.endpoint.url}: {fault.kind}; asking again for a while")
                (self._patience.pause or self.endpoint.stopped.wait)(seconds)
        raise AssertionError("the last attempt returns or raises")

    def _given_up(self, fault: PassingFault, attempts: int, seconds: float) -> UserError:
        times = "once" if attempts == 1 else f"{attempts} times"
        when = f" in {math.ceil(seconds)} s, as the server asks" if fault.wait else ""
        hints = {"no connection": "Is the server running? ", "timeout": "A greater timeout=SECONDS may help. "}
        said = fault.told(self.endpoint.hide)
        kept = "What was answered so far is kept" if self._keeps else "No answer is kept so far"
        onwards = "goes on from there" if self._keeps else "begins anew"
        return UserError(
            f"{self.endpoint.url} was asked {times}, the last time with this result: {said}. {hints.get(fault.kind, '')}"
            f"{kept}: the same command, run again{when}, {onwards}."
        )

    def _tell_repeats(self, title: str) -> None:
        with self._lock:
            for kind, count in sorted(self._repeats.items()):
                self._bench.events.append(f"{title}: {count} request{'s' * (count > 1)} repeated after {kind}")
            self._repeats.clear()

    def _key(self, body: Body) -> str:
        return sha256_text(self._fingerprint, json.dumps(body))

    def _remembered(self, key: str) -> Answer | None:
        values = self._cache.get(key) if self._cache else None
        if self._cache is None or values is None:
            return None
        model = self._cache.get(_key_of_model(key))
        self._keeps = True
        name = "" if model is None else bytes(model.astype(np.uint8)).decode()
        return Answer(values.astype(np.float64), name)

    def _remember(self, key: str, answer: Answer) -> None:
        if self._cache is None:
            return
        with self._lock:
            # The name first: numbers that are there are never without it. The cache holds only arrays.
            self._cache.put(_key_of_model(key), np.frombuffer(answer.model.encode(), np.uint8).astype(np.float32))
            self._cache.put(key, answer.values)
            self._keeps = True


def _key_of_model(key: str) -> str:
    return sha256_text(key, "model")


def _with_next_seed(body: Body, spoilt: int) -> Body:
    """A server that draws with the same seed would only say the same unusable thing again."""
    seed = body.get("seed")
    return {**body, "seed": seed + spoilt} if isinstance(seed, int) else body
