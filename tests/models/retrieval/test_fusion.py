"""Reciprocal rank fusion: ranks count, scores do not."""

from __future__ import annotations

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import Hit, Passages, load_retriever
from constraintsuite.models.retrieval.fusion import fuse, split_names

PASSAGES = Passages(
    ("a", "b", "c"), ("soup without cream", "cream soup with cream, cream and cream", "not a soup, not at all")
)


def ranking(*documents: str) -> list[Hit]:
    return [Hit(document, rank, 100.0 / rank) for rank, document in enumerate(documents, 1)]


def test_a_document_gets_a_share_of_each_ranking_it_is_in() -> None:
    hits = fuse([ranking("a", "b", "c"), ranking("c", "a")], 10)
    assert [(hit.document, hit.rank) for hit in hits] == [("a", 1), ("c", 2), ("b", 3)]
    assert [hit.score for hit in hits] == pytest.approx([1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62])


def test_exchanged_ranks_are_an_exact_tie_in_the_order_of_ids() -> None:
    hits = fuse([ranking("b", "x", "a"), ranking("a", "y", "b")], 2)
    assert [hit.document for hit in hits] == ["a", "b"]
    assert hits[0].score == hits[1].score


def test_options_belong_to_the_retriever_they_stand_behind() -> None:
    fused = load_retriever("rrf:bm25,stop_list=none,stem=no+bm25,k1=2,b=1", PASSAGES, Workbench())
    assert fused.describe()["parts"] == {
        "bm25,stop_list=none,stem=no": {"k1": 0.9, "b": 0.4, "stop_list": "none", "stem": False},
        "bm25,k1=2,b=1": {"k1": 2.0, "b": 1.0, "stop_list": "lucene", "stem": True},
    }
    assert [hit.document for hit in fused.search("not cream", 3)] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("bm25+dense:a+b", ["bm25", "dense:a+b"]),
        ("dense:a+b+bm25", ["dense:a+b", "bm25"]),
        ("dense:a+b,query_prompt=x+y+http:http://host/a+b", ["dense:a+b,query_prompt=x+y", "http:http://host/a+b"]),
        ("bm25,b=1+bm25,b=0+bm26", ["bm25,b=1", "bm25,b=0+bm26"]),
        ("bm25+bm26+dense:x+", ["bm25", "bm26", "dense:x+"]),
        ("dense:a+bm25", ["dense:a", "bm25"]),  # the name of a retriever ends the one before
    ],
)
def test_a_plus_in_a_name_is_just_a_plus(text: str, parts: list[str]) -> None:
    assert split_names(text) == parts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rrf", "name at least two"),
        ("rrf:bm25", "name at least two"),
        ("rrf:bm25+", "name at least two"),
        ("rrf:bm25+bm25", "the same retriever twice"),
        ("rrf:bm25+bm26", "Did you mean 'bm25'"),
        ("rrf:bm25+dense:no+such+folder", r"no\+such\+folder"),
    ],
)
def test_what_cannot_be_fused_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_retriever(text, PASSAGES, Workbench())
