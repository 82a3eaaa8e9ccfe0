"""BM25 on an OpenSearch or Elasticsearch server, over HTTP: `opensearch:URL/INDEX`, with options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.http.address import check_address
from constraintsuite.models.model_names import parse_model
from constraintsuite.models.retrieval.base import BatchRetriever, Hit, Passages, System, TopHits, head_of, not_indexed
from constraintsuite.models.retrieval.opensearch.answers import IndexFacts
from constraintsuite.models.retrieval.opensearch.server import OpenSearchSettings, SearchServer

_IDS_AT_ONCE = 1_000
_HITS_AT_ONCE = 50_000  # for all queries of a request: about ten megabytes when decoded
_ADDRESS = re.compile(r"(?P<base>https?://[^/?#]+(?:/[^/?#]+)*)/(?P<index>[^/?#,*]+)")


def make_opensearch(text: str, passages: Passages, bench: Workbench) -> System:
    """`opensearch:URL/INDEX`; the server is not asked before the first search."""
    return OpenSearchRetriever(text, passages.ids, bench)


def identify_opensearch(text: str) -> str:
    """The identity of an index, as a build records it; it does not change if documents are only replaced.

    A build asks the server for it at its start.
    """
    return OpenSearchRetriever(text, (), Workbench()).identity


class OpenSearchRetriever(BatchRetriever):
    """Finds the documents of a corpus in an index, which may contain others too; analyser, k1 and b are the index's own."""

    def __init__(self, text: str, ids: Sequence[str], bench: Workbench) -> None:
        name = parse_model(text)
        address = _ADDRESS.fullmatch(name.argument)
        if address is None:
            raise UserError(
                f"Retriever {name.head!r}: this names no index of a server. Write it as in opensearch:http://localhost:9200/INDEX"
            )
        check_address(name, name.argument)
        self.name = text
        self._settings = name.settings(OpenSearchSettings)
        self._ids = frozenset(ids)
        self._bench = bench
        self._server = SearchServer(
            address["base"], address["index"], self._settings, self._settings.login(name), bench
        )

    @cached_property
    def facts(self) -> IndexFacts:
        """The facts of the index, from the server."""
        return self._server.describe()

    @property
    def identity(self) -> str:
        """The index as a short text."""
        k1_b = "" if self.facts.k1 is None else f",k1={self.facts.k1:g},b={self.facts.b:g}"
        return f"{self._server.index}#{self.facts.digest[:16]}@documents={self.facts.documents}{k1_b}"

    @property
    def fingerprint(self) -> str:
        """Hash of the index and the field."""
        return sha256_text("opensearch", self._server.index, self._server.field, self.facts.digest)

    @cached_property
    def shared(self) -> int:
        """How many documents of the corpus the index contains; others cannot be found."""
        ids = sorted(self._ids)
        batches = [ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE)]
        shared = min(len(ids), self._server.count_ids(batches))
        if not shared:
            raise not_indexed(self.name, ids, self.facts.documents)
        if shared < len(ids):
            self._bench.reporter.note(
                f"{len(ids) - shared:,} of {len(ids):,} documents are not in the index {self.identity}: they cannot be found."
            )
        return shared

    def search_all(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` documents of the corpus that share a term with each query.

        Queries whose last hit is not certain are searched again, twice as deep.
        """
        if not (self._ids and queries and self.shared):
            return [[] for _ in queries]
        heads: dict[str, TopHits] = {}
        waiting, depth = list(dict.fromkeys(queries)), min(k + 1, self.facts.window)
        while waiting:
            heads.update(zip(waiting, self._heads(waiting, depth, k), strict=True))
            waiting = [query for query in waiting if not heads[query].certain and depth < self.facts.window]
            depth = min(2 * depth, self.facts.window)
        self._report_uncertain(sum(not head.certain for head in heads.values()), len(heads))
        hits = {
            query: [Hit(each.document, rank, each.score) for rank, each in enumerate(head.best, 1)]
            for query, head in heads.items()
        }
        return [hits[query] for query in queries]

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the index."""
        facts = self.facts
        return {
            "address": self._server.base,
            "index": self.identity,
            "field": self._server.field,
            "documents": facts.documents,
            "similarity": facts.similarity,
            "k1": facts.k1,
            "b": facts.b,
            "analyser": facts.analyser,
        }

    def _heads(self, queries: Sequence[str], depth: int, k: int) -> list[TopHits]:
        """The best `k` of each query; deeper hits, thousands per query, are in memory only while their batch is read."""
        size = max(1, min(self._settings.batch, _HITS_AT_ONCE // depth))
        batches = [queries[start : start + size] for start in range(0, len(queries), size)]
        return self._server.search(batches, depth, lambda ranking: head_of(ranking, depth, self._ids, k))

    def _report_uncertain(self, cut: int, queries: int) -> None:
        if cut:
            self._bench.reporter.note(
                f"{self._server.index}: {cut:,} of {queries:,} queries were limited to {self.facts.window:,} documents "
                "(index.max_result_window). Below that, ties are ordered by the server, or results are missing."
            )
