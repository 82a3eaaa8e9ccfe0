"""Requests of a model to a server, with a cache of all answers.

Answers are cached by their request as soon as they come. So a stopped run resumes where it was, and a rerun sends nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.store.cache import ArrayCache
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.http.endpoint import Endpoint
from constraintsuite.core.store.http.errors import BadAnswerError
from constraintsuite.core.store.http.messages import Limits
from constraintsuite.core.store.http.secrets import Authorization
from constraintsuite.models.base import ModelFact, Pair, Workbench
from constraintsuite.models.http.address import RemoteSettings
from constraintsuite.models.http.retrying_client import RetryingClient
from constraintsuite.models.model_names import ModelName

Body = Mapping[str, ModelFact]


class ServerReply(NamedTuple):
    """The numbers of an answer, and the model that the server names (empty if it names none)."""

    values: npt.NDArray[np.float64]
    model: str


class QueryTexts(NamedTuple):
    """A query and the texts that a server is asked about."""

    query: str
    texts: tuple[str, ...]


ReplyReader = Callable[[object], ServerReply]
"""Reads a decoded answer; raises BadAnswerError if it cannot be used."""


class Client(RetryingClient):
    """Sends the requests of one model to an endpoint, and caches the answers."""

    def __init__(self, endpoint: Endpoint, fingerprint: str, retries: int, bench: Workbench) -> None:
        super().__init__(endpoint, retries, bench)
        self._fingerprint = fingerprint
        self._cache = ArrayCache(bench.cache / f"{fingerprint}.bin") if bench.cache else None
        self._models: set[str] = set()

    @classmethod
    def connect(cls, name: ModelName, url: str, settings: RemoteSettings, fingerprint: str, bench: Workbench) -> Client:
        """A client with the user's settings; `fingerprint` is the hash of everything except the request that decides an answer."""
        endpoint = Endpoint(url, Authorization("Bearer", settings.key(name)), Limits(seconds=settings.timeout))
        return cls(endpoint, fingerprint, settings.retries, bench)

    @property
    def models(self) -> list[str]:
        """The models that the server named in its answers, also in cached ones."""
        return sorted(self._models)

    def knows(self, body: Body) -> bool:
        """Whether the answer is cached."""
        return self._find_cached(self._key(body)) is not None

    def ask(self, body: Body, read: ReplyReader, read_last: ReplyReader | None = None) -> ServerReply:
        """The answer, from the cache if possible; `read_last` reads the answer of the last attempt in place of `read`."""
        key = self._key(body)
        answer = self._find_cached(key)
        if answer is None:
            reply = self.ask_with_retries(lambda unusable: json.dumps(_with_next_seed(body, unusable)), read, read_last)
            answer = reply._replace(
                model=self.endpoint.shown(reply.model)
            )  # without the key, since it is stored and shown
            self._store(key, answer)
        if answer.model:
            self._models.add(answer.model)
        return answer

    def _key(self, body: Body) -> str:
        return sha256_text(self._fingerprint, json.dumps(body))

    def _find_cached(self, key: str) -> ServerReply | None:
        values = self._cache.get(key) if self._cache else None
        if self._cache is None or values is None:
            return None
        model = self._cache.get(_key_of_model(key))
        self.has_cached_answers = True
        name = "" if model is None else bytes(model.astype(np.uint8)).decode()
        return ServerReply(values.astype(np.float64), name)

    def _store(self, key: str, answer: ServerReply) -> None:
        if self._cache is None:
            return
        with self._lock:
            # The name first, so that cached numbers always have it; as an array, since the cache stores only arrays.
            self._cache.put(_key_of_model(key), np.frombuffer(answer.model.encode(), np.uint8).astype(np.float32))
            self._cache.put(key, answer.values)
            self.has_cached_answers = True


def _key_of_model(key: str) -> str:
    return sha256_text(key, "model")


def _with_next_seed(body: Body, unusable: int) -> Body:
    """The body with another seed: with the same one, the server would repeat its unusable answer."""
    seed = body.get("seed")
    return {**body, "seed": seed + unusable} if isinstance(seed, int) else body


def group_by_query(pairs: Sequence[Pair]) -> dict[str, tuple[str, ...]]:
    """Each distinct query with its distinct texts, in the order of the pairs."""
    lists: dict[str, dict[str, None]] = {}
    for query, text in pairs:
        lists.setdefault(query, {})[text] = None
    return {query: tuple(texts) for query, texts in lists.items()}


def part_of(value: object, *path: str) -> object:
    """The value under a path of keys of a decoded answer, None if there is none; of a list, the first entry is used."""
    for key in path:
        if isinstance(value, list):
            value = value[0] if value else None
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def model_of(answer: object) -> str:
    """The model that the server names; empty if it names none."""
    named = part_of(answer, "model")
    return named if isinstance(named, str) else ""


def sort_by_index(rows: Sequence[object], count: int, answer: object) -> list[Mapping[str, object]]:
    """Rows sorted by their `index`; every index from 0 to `count` - 1 must occur once."""
    if len(rows) != count:
        raise BadAnswerError(f"it has {len(rows)} results for {count} texts", answer)
    found: dict[int, Mapping[str, object]] = {}
    for row in rows:
        index = row.get("index") if isinstance(row, Mapping) else None
        if not isinstance(row, Mapping) or not isinstance(index, int) or isinstance(index, bool):
            raise BadAnswerError("one of its results has no index", answer)
        if not 0 <= index < count:
            raise BadAnswerError(f"it has a result with index {index}, for {count} texts", answer)
        if index in found:
            raise BadAnswerError(f"it has two results with index {index}", answer)
        found[index] = row
    return [found[index] for index in range(count)]


def one_number(value: object, answer: object) -> float:
    """A value of an answer as a finite number; anything else is a BadAnswerError."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an integer with hundreds of digits
            number = math.inf
        if math.isfinite(number):
            return number
    raise BadAnswerError("it has {found} where a number is due", answer, value)
