"""An OpenSearch or Elasticsearch server as a retriever, over real HTTP: rankings, ties, ids."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Silent
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import EngineHit, load_retriever
from constraintsuite.models.retrieval.bm25 import Bm25Retriever
from constraintsuite.models.retrieval.opensearch.retriever import OpenSearchRetriever
from models.retrieval.opensearch_server import INDEX, PASSAGES, TEXTS, SearchState, serving

TIED = {f"{number:03}": "leek soup" for number in reversed(range(60))}


class Notes:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        yield lambda items=1: None


@pytest.mark.parametrize("query", ["leek soup", "nut", "cream", "zebra", ""])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_it_finds_what_bm25_finds(server: SearchState, query: str, k: int) -> None:
    retriever = load_retriever(server.retriever, PASSAGES, Workbench())
    assert retriever.search(query, k) == Bm25Retriever(*PASSAGES, k1=1.2, b=0.75).search(query, k)


@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(st.sampled_from(["leek soup", "leek", "soup", "nut soup"]), min_size=1, max_size=30),
    known=st.sets(st.integers(0, 29)),
    k=st.integers(0, 12),
    window=st.sampled_from([40, 10_000]),
)
def test_a_ranking_is_the_head_of_all_that_the_corpus_holds(
    texts: list[str], known: set[int], k: int, window: int
) -> None:
    documents = {f"{(number * 7) % 30:02}": text for number, text in enumerate(texts)}
    ids = {f"{number:02}" for number in known} & documents.keys() or {next(iter(documents))}
    with serving(SearchState(documents, window=window)) as state:
        found = OpenSearchRetriever(state.retriever, sorted(ids), Workbench()).search_all(["soup leek", "nut"], k)
        for query, hits in zip(["soup leek", "nut"], found, strict=True):
            whole = [hit for hit in state.bm25.search(query, 30) if hit.document in ids]
            assert [(hit.document, hit.score) for hit in hits] == [(hit.document, hit.score) for hit in whole[:k]]


def test_ties_at_the_cut_are_looked_through_before_the_smallest_ids_are_taken() -> None:
    with serving(SearchState(TIED)) as state:
        found = OpenSearchRetriever(state.retriever, list(TIED), Workbench()).search("leek", 3)
        assert [hit.document for hit in found] == ["000", "001", "002"]
        assert state.depths == [4, 8, 16, 32, 64]


def test_many_queries_travel_in_few_requests_and_equal_ones_once(server: SearchState) -> None:
    queries = ["leek", "soup", "nut", "leek", "cream"]
    retriever = OpenSearchRetriever(f"{server.retriever},batch=2", list(TEXTS), Workbench())
    assert retriever.search_all(queries, 9) == [retriever.search(query, 9) for query in queries]
    assert server.calls.count(f"POST /{INDEX}/_msearch") == 2 + len(queries)


class HitCounter(Silent):
    """Counts, whenever a batch is done, how many hits are in memory; what was there before the test is passed over."""

    def __init__(self) -> None:
        self.most = 0

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        def count(items: int = 1) -> None:
            self.most = max(self.most, sum(type(each) is EngineHit for each in gc.get_objects()))

        gc.freeze()
        try:
            yield count
        finally:
            gc.unfreeze()


def test_no_more_hits_are_in_memory_than_those_of_batches_under_way_and_the_best() -> None:
    queries, k, window = 100, 3, 60
    counter = HitCounter()
    with serving(SearchState(TIED, window=window)) as state:
        name = f"{state.retriever},batch=2,concurrency=1"
        OpenSearchRetriever(name, ["000", "001", "002"], Workbench(reporter=counter)).search_all(
            [f"leek {number}" for number in range(queries)], k
        )
        assert state.depths[-1] == window
    under_way = 2 * 2 * window  # one that is done and one that is being read
    assert counter.most <= queries * k * 2 + under_way < queries * window / 2


def test_the_deeper_a_server_is_asked_the_fewer_queries_go_in_a_request(
    server: SearchState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("constraintsuite.models.retrieval.opensearch.retriever._HITS_AT_ONCE", 12)
    queries = ["leek", "soup", "nut", "cream"]
    retriever = OpenSearchRetriever(server.retriever, list(TEXTS), Workbench())
    assert retriever.search_all(queries, 5) == [server.bm25.search(query, 5) for query in queries]
    assert server.calls.count(f"POST /{INDEX}/_msearch") == 2


def test_what_lies_beyond_the_window_of_the_index_is_told() -> None:
    notes = Notes()
    with serving(SearchState(TIED, window=10)) as state:
        found = OpenSearchRetriever(state.retriever, list(TIED), Workbench(reporter=notes)).search("leek", 3)
    assert [hit.document for hit in found] == ["050", "051", "052"]
    assert notes.said == [
        "dishes: 1 of 1 queries were limited to 10 documents (index.max_result_window). "
        "Below that, ties are ordered by the server, or results are missing."
    ]


def test_documents_that_the_index_lacks_are_counted(server: SearchState) -> None:
    notes = Notes()
    retriever = OpenSearchRetriever(server.retriever, [*TEXTS, "y", "z"], Workbench(reporter=notes))
    retriever.search("leek", 2)
    retriever.search("nut", 2)
    assert [line.partition(" documents are not in the index dishes#")[0] for line in notes.said] == ["2 of 7"]


def test_an_index_of_another_corpus_is_refused(server: SearchState) -> None:
    with pytest.raises(UserError, match=r"none of the 2 document ids of the corpus \(such as 'x'\) is among the 5 of"):
        OpenSearchRetriever(server.retriever, ["x", "y"], Workbench()).search("leek", 2)


def test_ids_are_counted_in_requests_of_a_thousand() -> None:
    ids = [f"{number:04}" for number in range(2_500)]
    with serving(SearchState({name: "leek" for name in ids[:2_400]})) as state:
        assert OpenSearchRetriever(state.retriever, ids, Workbench()).shared == 2_400
        assert state.calls.count(f"POST /{INDEX}/_count") == 3
