"""Subsets of real collections: golden ids, so that a subset made today is the one made next year."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset

DATA = Path(os.environ.get("CSUITE_TEST_DATA", ""))

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not name the real data"),
]


@pytest.mark.parametrize(
    ("files", "least", "size", "positives", "first"),
    [
        (
            ("vaswani/doc-text.trec", "vaswani/query-text.trec", "vaswani/qrels"),
            1,
            3000,
            1735,
            ["9940", "5734", "555", "4871", "10343"],
        ),
        (
            ("msmarco_dl19/collection.tsv", "msmarco_dl19/queries.tsv", "msmarco_dl19/qrels.txt"),
            2,
            4000,
            2501,
            ["1929530", "6398043", "2556144", "1373646", "47207"],
        ),
    ],
    ids=["vaswani", "dl19"],
)
def test_golden_subsets(
    tmp_path: Path, files: tuple[str, str, str], least: int, size: int, positives: int, first: list[str]
) -> None:
    documents, queries, qrels = (str(DATA / file) for file in files)
    source = SourceSettings(source=documents, queries=queries, qrels=qrels)
    settings = SubsetSettings(size=size, min_relevance=least, namespace="golden")
    build_subset(source, settings, tmp_path / "bundle", Silent())
    opened = Bundle.open(tmp_path / "bundle")
    rows = list(opened.rows())
    assert sum(row.stratum == "positive" for row in rows) == positives
    assert {query.coverage for query in opened.queries} == {"full"}
    assert [rows[positives + i].id for i in range(5)] == first
