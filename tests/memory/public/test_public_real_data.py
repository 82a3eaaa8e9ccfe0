"""The real files: counts that must not change, and nothing in what is searched that tells the gold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from constraintsuite.memory.public import BENCHMARKS
from constraintsuite.memory.public.base import BenchmarkFile, ReadOptions
from constraintsuite.memory.public.run import PublicRun, run_public, units_of

DATA = Path(os.environ.get("CSUITE_TEST_DATA", ""))
LONGMEMEVAL = "longmemeval_oracle/longmemeval_oracle.json"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not name the real data"),
]


def read(name: str, file: str, options: ReadOptions) -> BenchmarkFile:
    return BENCHMARKS.load(name)(DATA / file, options)


@pytest.mark.parametrize(
    ("name", "file", "options", "counts"),
    [
        ("hotpotqa", "hotpotqa_100/questions.json", ReadOptions(), (100, 100, 4137, 229)),
        ("hotpotqa", "hotpotqa_100/questions.json", ReadOptions(pooled=True), (100, 1, 4137, 229)),
        ("musique", "musique_100/questions.json", ReadOptions(), (100, 100, 2000, 237)),
        ("musique", "musique_100/questions.json", ReadOptions(pooled=True), (100, 1, 1890, 237)),
        ("longmemeval", LONGMEMEVAL, ReadOptions(pooled=True), (419, 1, 940, 794)),
        ("longmemeval", LONGMEMEVAL, ReadOptions(pooled=True, granularity="turn"), (419, 1, 5432, 832)),
    ],
)
def test_a_file_has_so_many_items_haystacks_passages_and_gold(
    name: str, file: str, options: ReadOptions, counts: tuple[int, ...]
) -> None:
    reading = read(name, file, options)
    passages = sum(len(source.passages) for haystack in reading.haystacks.values() for source in haystack.sources)
    gold = sum(len(item.gold) for item in reading.items)
    assert (len(reading.items), len(reading.haystacks), passages, gold) == counts
    assert reading.notes == ()


def test_longmemevals_official_filter_leaves_out_30_and_51_questions() -> None:
    assert read("longmemeval", LONGMEMEVAL, ReadOptions()).skipped == {"abstention": 30, "no_answer_in_user_turns": 51}


def test_nothing_that_longmemeval_is_searched_by_tells_the_gold() -> None:
    reading = read("longmemeval", LONGMEMEVAL, ReadOptions(pooled=True))
    for source in reading.haystacks["all"].sources:
        for unit in units_of(source):
            assert "answer" not in f"{unit.id} {unit.document} {unit.headings} {dict(unit.attributes)}"


def test_bm25_with_titles_is_no_weaker_than_the_plainest_one() -> None:
    """Of the plainest BM25 with titles (lower-cased words, k1 0.9, b 0.4) all gold is within 10 of 61 of 100 questions."""
    reading = read("hotpotqa", "hotpotqa_100/questions.json", ReadOptions())
    outcomes = list(run_public(reading, PublicRun(("lexical_baseline",), (10,), links="titles")))
    assert sum(outcome.values["all_gold@10"] or 0 for outcome in outcomes) >= 61
