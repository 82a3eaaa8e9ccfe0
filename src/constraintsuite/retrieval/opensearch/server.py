"""The calls that are made to an OpenSearch or Elasticsearch server: those that all versions of both understand.

Repetitions and waits are those of all servers (`models/http`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.http.client import Answer, Body, Client, Patience
from constraintsuite.models.http.transport import RefusalError
from constraintsuite.retrieval.depth import Found
from constraintsuite.retrieval.opensearch.address import Address, LinesAddress, Login
from constraintsuite.retrieval.opensearch.answers import (
    IndexFacts,
    part_of,
    read_count,
    read_facts,
    read_fields,
    read_rankings,
    read_settings,
)
from constraintsuite.store.files import sha256_text

T = TypeVar("T")
_SEARCH = {"search_type": "dfs_query_then_fetch", "preference": "csuite"}
"""Statistics of the whole index and not of each shard, and always the same copies, whose deleted documents count differently."""


class SearchServer:
    """One field of one index."""

    def __init__(
        self, base: str, index: str, field: str, login: Login, timeout: float, retries: int, bench: Workbench
    ) -> None:
        self.base, self.index, self.field = base, index, field
        self._login, self._timeout, self._patience = login, timeout, Patience(retries)
        # Nothing is remembered from run to run: an index may change without telling.
        self._bench = Workbench((), None, bench.reporter, bench.events)

    def describe(self) -> IndexFacts:
        """What decides what is found; an index or field that is not there is a UserError."""
        settings = self._read("_settings", read_settings)
        mappings = self._read("_mapping/field/*", lambda answer: read_fields(answer, settings))
        self._refuse_missing_field(mappings)
        documents = self._read("_count", read_count)
        return read_facts(settings, {name: fields[self.field] for name, fields in mappings.items()}, documents)

    def count_ids(self, batches: Sequence[Sequence[str]], concurrency: int) -> int:
        """How many of some ids the index holds."""
        client = self._client("_count")
        bodies: list[Body] = [{"query": {"ids": {"values": list(batch)}}} for batch in batches]
        sizes = [len(batch) for batch in batches]
        counts = client.ask_all("index", bodies, lambda body: self._ask(client, body, read_count), sizes, concurrency)
        return sum(counts)

    def search(self, queries: Sequence[Sequence[str]], depth: int, concurrency: int) -> list[list[Found]]:
        """The best `depth` documents of each query, as the server orders them; queries come in batches."""
        client = self._client("_msearch")

        def one(batch: Sequence[str]) -> list[list[Found]]:
            return self._ask(client, self._searches(batch, depth), lambda answer: read_rankings(answer, len(batch)))

        found = client.ask_all("search", queries, one, [len(batch) for batch in queries], concurrency)
        return [ranking for batch in found for ranking in batch]

    def _searches(self, queries: Sequence[str], depth: int) -> Body:
        lines: list[Body] = []
        for query in queries:
            match = {"match": {self.field: {"query": query}}}
            lines += [_SEARCH, {"query": match, "size": depth, "_source": False, "track_total_hits": False}]
        return {"lines": lines}

    def _read(self, call: str, read: Callable[[object], T]) -> T:
        client = self._client(call)
        nothing: Sequence[Body] = [{}]
        return client.ask_all("index", nothing, lambda body: self._ask(client, body, read), [1], 1)[0]

    def _client(self, call: str) -> Client:
        kind = LinesAddress if call == "_msearch" else Address
        endpoint = kind(f"{self.base}/{self.index}/{call}", self._login, self._timeout)
        return Client(endpoint, sha256_text("opensearch"), self._patience, self._bench)

    def _ask(self, client: Client, body: Body, read: Callable[[object], T]) -> T:
        """What `read` makes of the answer; a client's own answers are arrays, and these are none."""
        kept: list[T] = []

        def keep(answer: object) -> Answer:
            kept.append(read(answer))
            return Answer(np.empty(0), "")

        try:
            client.ask(body, keep)
        except RefusalError as refusal:
            raise self._explained(refusal, client.endpoint.hide) from None
        return kept[-1]

    def _explained(self, refusal: RefusalError, hide: Callable[[str], str]) -> UserError:
        if refusal.status == 404:
            return UserError(
                f"{self.base}: there is no index {self.index!r}. `GET {self.base}/_cat/indices` lists them."
            )
        if refusal.status in (401, 403):
            return UserError(
                f"{refusal} For a user and a password: login_env=NAME, of a variable that holds USER:PASSWORD."
            )
        return UserError(f"{self.base}/{self.index}: {hide(str(refusal))}")

    def _refuse_missing_field(self, mappings: Mapping[str, Mapping[str, object]]) -> None:
        for name, fields in mappings.items():
            if self.field not in fields:
                texts = [field for field, kind in fields.items() if part_of(kind, "type") == "text"]
                raise UserError(
                    f"{self.base}/{name}: there is no field {self.field!r} to search. Its fields of text: "
                    f"{', '.join(texts) or 'none'}. Say which one: field=NAME"
                )
