"""Requests to an OpenSearch or Elasticsearch server, which all versions of both support, with the retries of `models/http`."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.http.endpoint import Endpoint
from constraintsuite.core.store.http.errors import RefusalError, shown
from constraintsuite.core.store.http.messages import Limits
from constraintsuite.core.store.http.secrets import NO_LOGIN, Authorization
from constraintsuite.models.base import Workbench
from constraintsuite.models.http.address import RemoteSettings
from constraintsuite.models.http.client import part_of
from constraintsuite.models.http.retrying_client import RetryingClient
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.retrieval.base import EngineHit
from constraintsuite.models.retrieval.opensearch.answers import (
    IndexFacts,
    read_count,
    read_facts,
    read_fields,
    read_rankings,
    read_settings,
)

T = TypeVar("T")
_SEARCH = {"search_type": "dfs_query_then_fetch", "preference": "csuite", "allow_partial_search_results": False}
"""Use the statistics of the complete index, not of each shard; always the same copies, since their deleted documents differ; and give
an error, not partial results, if a shard is missing."""
_LINES = "application/x-ndjson"


class OpenSearchSettings(RemoteSettings):
    """The options of `opensearch`, of which only `field` changes a ranking."""

    field: str = Field("text", min_length=1, description="the field of the index that is searched")
    login_env: str = Field("", description="name of the environment variable that holds USER:PASSWORD")
    batch: int = Field(50, ge=1, le=1_000, description="queries a request")

    def login(self, name: ModelName) -> Authorization:
        """The login from environment variables."""
        if not self.login_env:
            return _api_key(self.key(name)) if self.key_env else NO_LOGIN
        value = os.environ.get(self.login_env, "")
        if self.key_env or ":" not in value:
            raise UserError(
                f"Model {name.head}: login_env names an environment variable that holds USER:PASSWORD, and excludes key_env. "
                "Set it in the shell that runs this command: export NAME=USER:PASSWORD"
            )
        return Authorization("Basic", _base64(value), (value.partition(":")[2],))


def _api_key(key: str) -> Authorization:
    """The login for an API key; Elasticsearch also gives it as ID:SECRET, which is sent in base64."""
    return (
        Authorization("ApiKey", _base64(key), (key.partition(":")[2],)) if ":" in key else Authorization("ApiKey", key)
    )


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class SearchServer:
    """One field of one index."""

    def __init__(
        self, base: str, index: str, settings: OpenSearchSettings, login: Authorization, bench: Workbench
    ) -> None:
        self.base, self.index, self.field = base, index, settings.field
        self._settings, self._login, self._limits, self._bench = settings, login, Limits(settings.timeout), bench

    def describe(self) -> IndexFacts:
        """The facts of the index. Raises UserError if the index or the field is missing."""
        settings = self._read("_settings", read_settings)
        mappings = self._read("_mapping/field/*", lambda answer: read_fields(answer, settings))
        self._refuse_missing_field(mappings)
        documents = self._read("_count", read_count)
        facts = read_facts(settings, {name: fields[self.field] for name, fields in mappings.items()}, documents)
        similarity, analyser = (shown(text, self._login.hide) for text in (facts.similarity, facts.analyser))
        return facts._replace(
            similarity=similarity, analyser=analyser
        )  # without the key, since they are stored and shown

    def count_ids(self, batches: Sequence[Sequence[str]]) -> int:
        """How many of the ids the index contains."""
        client = self._client(Endpoint(self._url("_count"), self._login, self._limits))

        def one(batch: Sequence[str]) -> int:
            return self._ask(client, json.dumps({"query": {"ids": {"values": list(batch)}}}), read_count)

        return sum(client.ask_all("index", batches, one, list(map(len, batches)), self._settings.concurrency))

    def search(self, batches: Sequence[Sequence[str]], depth: int, take: Callable[[list[EngineHit]], T]) -> list[T]:
        """The result of `take` for the best `depth` documents of each query, in the order of the server.

        Queries come in batches, and only the results of `take` are kept.
        """
        client = self._client(Endpoint(self._url("_msearch"), self._login, self._limits, content_type=_LINES))

        def one(batch: Sequence[str]) -> list[T]:
            return self._ask(
                client,
                self._searches(batch, depth),
                lambda answer: [take(ranking) for ranking in read_rankings(answer, len(batch))],
            )

        taken = client.ask_all("search", batches, one, list(map(len, batches)), self._settings.concurrency)
        return [each for batch in taken for each in batch]

    def _searches(self, queries: Sequence[str], depth: int) -> str:
        lines: list[object] = []
        for query in queries:
            match = {"match": {self.field: {"query": query}}}
            lines += [_SEARCH, {"query": match, "size": depth, "_source": False, "track_total_hits": False}]
        return "".join(json.dumps(line) + "\n" for line in lines)

    def _read(self, call: str, read: Callable[[object], T]) -> T:
        client = self._client(Endpoint(self._url(call), self._login, self._limits))
        return client.ask_all("index", [""], lambda body: self._ask(client, body, read), [1], 1)[0]

    def _url(self, call: str) -> str:
        return f"{self.base}/{self.index}/{call}"

    def _client(self, endpoint: Endpoint) -> RetryingClient:
        return RetryingClient(endpoint, self._settings.retries, self._bench)

    def _ask(self, client: RetryingClient, body: str, read: Callable[[object], T]) -> T:
        try:
            return client.ask_with_retries(lambda _: body, read)
        except RefusalError as refusal:
            raise self._explained(refusal) from None

    def _explained(self, refusal: RefusalError) -> UserError:
        message = self._login.hide(str(refusal))
        if refusal.status == 404:
            return UserError(
                f"{self.base}: there is no index {self.index!r}. `GET {self.base}/_cat/indices` lists them."
            )
        if refusal.status in (401, 403):
            return UserError(
                f"{message} For a user and a password: login_env=NAME, of a variable that holds USER:PASSWORD."
            )
        if refusal.status == 413:
            return UserError(
                f"{self.base}: the request is larger than the server takes (413; its http.max_content_length). Send fewer "
                "queries at a time: batch=N"
            )
        return UserError(f"{self.base}/{self.index}: {message}")

    def _refuse_missing_field(self, mappings: Mapping[str, Mapping[str, object]]) -> None:
        for name, fields in mappings.items():
            if self.field not in fields:
                texts = [field for field, kind in fields.items() if part_of(kind, "type") == "text"]
                raise UserError(
                    f"{self.base}/{name}: there is no field {self.field!r} to search. Its fields of text: "
                    f"{shown(', '.join(texts), self._login.hide) or 'none'}. Say which one: field=NAME"
                )
