from __future__ import annotations

import os
from pathlib import Path

import pytest

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.corpora.summary import summarise

DATA = Path(os.environ.get("CSUITE_TEST_DATA", ""))

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not name the real data"),
]


@pytest.mark.parametrize(
    ("source", "queries", "qrels", "counts", "first"),
    [
        ("wiki_2hop_corpus/corpus.json", None, None, (6119, 0, 0), "e0bf3e6365eb122a"),
        ("vaswani/doc-text.trec", "vaswani/query-text.trec", "vaswani/qrels", (11429, 93, 2083), "1"),
        ("msmarco_dl19/collection.tsv", "msmarco_dl19/queries.tsv", "msmarco_dl19/qrels.txt", (5049, 43, 5151), "1729"),
    ],
)
def test_golden_counts(
    source: str, queries: str | None, qrels: str | None, counts: tuple[int, int, int], first: str
) -> None:
    settings = SourceSettings(
        source=str(DATA / source),
        queries=None if queries is None else str(DATA / queries),
        qrels=None if qrels is None else str(DATA / qrels),
    )
    summary = summarise(open_source(settings), first=1)
    assert (summary.documents, summary.queries, summary.qrels) == counts
    assert summary.first[0].id == first
    assert summary.faults == {}
