"""BM25 in parts: the same hits, the same bits, the same order as one index over everything."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import bm25s
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.retrieval.base import Hit
from constraintsuite.models.retrieval.bm25 import (
    Bm25Retriever,
    asked_terms,
    collect_postings,
    merge_rankings,
    open_shard,
    read_shard,
    write_shard,
)
from constraintsuite.text.terms import TermAnalyser

WORDS = ("soup", "cream", "leeks", "leek", "pasta", "the", "not", "é", "x1")
TEXT = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
Part = Sequence[tuple[str, str]]


def search_parts(parts: Sequence[Part], queries: Sequence[str], k: int, k1: float, b: float) -> list[list[Hit]]:
    """Counted, merged, searched, merged."""
    analyser = TermAnalyser()
    asked = asked_terms(map(analyser.terms, queries))
    read = [collect_postings(((name, analyser.terms(text)) for name, text in part), asked) for part in parts]
    whole = CorpusStatistics.merged(part.postings.statistics() for part in read)
    shards = [open_shard(part, whole, Bm25Formula(k1, b)) for part in read]
    merged = [merge_rankings([shard.rank_terms(analyser.terms(query), k) for shard in shards], k) for query in queries]
    return [
        [Hit(*hit) for hit in zip(each.documents, range(1, len(each.documents) + 1), each.scores, strict=True)]
        for each in merged
    ]


def search_whole(parts: Sequence[Part], queries: Sequence[str], k: int, k1: float, b: float) -> list[list[Hit]]:
    documents = [document for part in parts for document in part]
    single = Bm25Retriever([name for name, _ in documents], [text for _, text in documents], k1=k1, b=b)
    return [single.search(query, k) for query in queries]


@st.composite
def parted(draw: st.DrawFn) -> list[list[tuple[str, str]]]:
    """Documents with ids in no order, dealt to some parts; a part may stay empty."""
    ids = draw(st.lists(st.text("ab01é", min_size=1, max_size=4), unique=True, max_size=20))
    parts: list[list[tuple[str, str]]] = [[] for _ in range(draw(st.integers(1, 6)))]
    for name in ids:
        draw(st.sampled_from(parts)).append((name, draw(TEXT)))
    return parts


@settings(max_examples=150, deadline=None)
@given(
    parts=parted(),
    queries=st.lists(TEXT, min_size=1, max_size=4),
    k=st.integers(0, 25),
    k1=st.sampled_from([0.0, 0.9, 1.2, 3.7]),
    b=st.sampled_from([0.0, 0.4, 0.75, 1.0]),
)
def test_parts_find_what_the_whole_finds(parts: list[Part], queries: list[str], k: int, k1: float, b: float) -> None:
    assert search_parts(parts, queries, k, k1, b) == search_whole(parts, queries, k, k1, b)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), shards=st.integers(1, 9))
def test_scores_have_the_same_bits_where_lengths_and_counts_are_many(seed: int, shards: int) -> None:
    rng = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(60)]
    texts = [" ".join(rng.choices(vocabulary, k=rng.randint(1, 80))) for _ in range(200)]
    parts: list[list[tuple[str, str]]] = [[] for _ in range(shards)]
    for number, text in enumerate(texts):
        rng.choice(parts).append((f"d{number:03}", text))
    queries = [" ".join(rng.choices(vocabulary, k=rng.randint(1, 9))) for _ in range(20)]
    found = search_parts(parts, queries, 30, 0.9, 0.4)
    assert found == search_whole(parts, queries, 30, 0.9, 0.4)
    assert all(len(hits) == 30 for hits in found)


@settings(max_examples=50, deadline=None)
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), min_size=1, max_size=20),
    k1=st.floats(0, 4),
    b=st.floats(0, 1),
)
def test_every_posting_has_the_score_that_bm25s_gives_it(texts: list[list[str]], k1: float, b: float) -> None:
    """The formula is ours, and so are its types and their order: where bm25s changes its own, this is what says so."""
    index = bm25s.BM25(k1=k1, b=b, method="lucene")
    index.index(texts, show_progress=False)
    ids = [f"{number:02}" for number in range(len(texts))]
    part = collect_postings(zip(ids, texts, strict=True), sorted(WORDS))
    shard = open_shard(part, part.postings.statistics(), Bm25Formula(k1, b))
    for term in {term for text in texts for term in text}:
        ranking = shard.rank_terms([term], len(ids))
        ours = dict(zip(ranking.documents, ranking.scores, strict=True))
        assert [ours.get(name, 0.0) for name in ids] == index.get_scores([term]).tolist()


def test_a_tie_across_parts_stands_in_the_order_of_ids() -> None:
    parts = [[("c", "leek soup"), ("a", "leek soup")], [("b", "leek soup"), ("d", "leek")]]
    assert [hit.document for hit in search_parts(parts, ["soup"], 2, 0.9, 0.4)[0]] == ["a", "b"]


@pytest.mark.parametrize("shards", [1, 16])
def test_the_sample_is_searched_as_one(shards: int) -> None:
    documents = [
        (d.id, f"{d.title} {d.text}") for d in open_source(SourceSettings(source="sample")).documents(BadRows())
    ]
    parts = [documents[shard::shards] for shard in range(shards)]
    queries = [text for _, text in documents[::4]]
    assert search_parts(parts, queries, 200, 0.9, 0.4) == search_whole(parts, queries, 200, 0.9, 0.4)


def test_only_asked_terms_are_kept_in_the_order_of_ids_and_all_terms_count_for_the_length() -> None:
    documents = [("b", ["soup", "of", "leek", "soup"]), ("a", ["pasta"]), ("c", [])]
    part = collect_postings(documents, ("leek", "soup", "é"))
    assert part.ids == ["a", "b", "c"]
    assert part.postings.lengths.tolist() == [1, 4, 0]
    assert list(part.postings.terms) == ["leek", "soup"]
    assert (part.postings.documents.tolist(), part.postings.counts.tolist()) == ([1, 1], [1, 2])
    assert part.postings.statistics() == CorpusStatistics(3, 5, {"leek": 1, "soup": 1})


@given(st.dictionaries(st.text(max_size=4), st.lists(st.sampled_from(WORDS), max_size=300), max_size=9))
def test_a_file_gives_a_part_back(documents: dict[str, list[str]]) -> None:
    written = collect_postings(documents.items(), WORDS[:4])
    with tempfile.TemporaryDirectory() as folder:
        write_shard(Path(folder) / "part", written)
        read = read_shard(Path(folder) / "part")
    assert list(read.ids) == list(written.ids)
    assert list(read.postings.terms) == list(written.postings.terms)
    for name in ("starts", "documents", "counts", "lengths"):
        one, other = getattr(read.postings, name), getattr(written.postings, name)
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
