"""What a user writes to get a retriever."""

from __future__ import annotations

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval import RETRIEVERS
from constraintsuite.models.retrieval.base import Passages, load_retriever, search_all
from constraintsuite.models.retrieval.bm25 import Bm25Retriever

PASSAGES = Passages(("a", "b"), ("soup, no cream, no cream", "a long text on soup and on what else there may be"))


@pytest.mark.parametrize("name", RETRIEVERS.names())
def test_every_name_leads_somewhere(name: str) -> None:
    assert callable(RETRIEVERS.load(name))


def test_options_reach_the_index() -> None:
    found = load_retriever("bm25,k1=2,b=1", PASSAGES, Workbench()).search("soup", 2)
    assert found == Bm25Retriever(*PASSAGES, k1=2, b=1).search("soup", 2)
    assert found != load_retriever("bm25", PASSAGES, Workbench()).search("soup", 2)


def test_without_a_stop_list_a_negation_is_a_word() -> None:
    assert load_retriever("bm25", PASSAGES, Workbench()).search("no", 2) == []
    assert [hit.document for hit in load_retriever("bm25,stop_list=none", PASSAGES, Workbench()).search("no", 2)] == [
        "a"
    ]


def test_every_option_changes_the_fingerprint() -> None:
    names = ["bm25", "bm25,k1=1", "bm25,b=1", "bm25,stop_list=none", "bm25,stem=no"]
    assert len({load_retriever(name, PASSAGES, Workbench()).fingerprint for name in names}) == len(names)


def test_a_retriever_that_takes_one_query_is_asked_for_each() -> None:
    bench = Workbench()
    retriever = load_retriever("bm25", PASSAGES, bench)
    queries = ["soup", "cream"]
    assert search_all(retriever, queries, 2, bench.reporter) == [retriever.search(query, 2) for query in queries]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bm26", "No retriever named 'bm26'. Did you mean 'bm25'"),
        ("bm25:nostop", "bm25 takes options only"),
        ("bm25,b=0,b=1", "is given twice"),
        ("bm25,k2=1", "k2: unknown key.*Options: k1: .*; b: "),
        ("bm25,b=7", "b: .*less than or equal to 1"),
        ("cross:folder", "cross scores pairs and does not search.*--retriever bm25 --rerank cross:folder"),
        ("dense:no-such-folder", "no-such-folder"),
    ],
)
def test_a_wrong_name_is_told_before_any_search(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_retriever(text, Passages(), Workbench())
