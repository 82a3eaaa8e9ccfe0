from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Qrel, Query
from constraintsuite.corpora.base import STRICT, BadRows
from constraintsuite.corpora.judgments import read_qrels, read_queries


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("q.tsv", "7\twho is\n8\twhat is\n"),
        ("q.tsv", "qid\tquery\n7\twho is\n8\twhat is\n"),
        ("q.csv", 'id,text\n7,"who is"\n8,what is\n'),
        ("q.jsonl", '{"_id": 7, "text": "who is"}\n{"_id": 8, "text": "what is"}\n'),
        ("q.json", '[{"qid": 7, "question": "who is"}, {"qid": 8, "question": "what is"}]'),
        ("topics", "<top><num>7<title>who is</top><top><num>8<title>what is</top>"),
        ("queries", '{"id": "7", "query": "who is"}\n{"id": "8", "query": "what is"}\n'),
        ("queries.txt", "\n7\twho is\r\n8\twhat is"),
    ],
)
def test_queries_are_read_in_every_form(tmp_path: Path, name: str, data: str) -> None:
    file = tmp_path / name
    file.write_bytes(data.encode())
    assert list(read_queries(file, STRICT)) == [Query("7", "who is"), Query("8", "what is")]


@pytest.mark.parametrize(
    "data",
    [
        "7 0 d1 2\n7 Q0 d2 0\n8 0 d3 -1\n",
        "7\t0\td1\t2\n\n7\t0\td2\t0\r\n8\t0\td3\t-1\n",
        "query-id\tcorpus-id\tscore\n7\td1\t2\n7\td2\t0\n8\td3\t-1\n",
        "7\td1\t2\n7\td2\t0\n8\td3\t-1\n",
    ],
)
def test_qrels_are_read_in_both_forms(tmp_path: Path, data: str) -> None:
    file = tmp_path / "qrels"
    file.write_bytes(data.encode())
    assert list(read_qrels(file, STRICT)) == [Qrel("7", "d1", 2), Qrel("7", "d2", 0), Qrel("8", "d3", -1)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("7 0 d1 good", "bad_grade"),
        ("7 0 d1 1.5", "bad_grade"),
        ("7 0 d1 ²", "bad_grade"),
        ("7\td1\trelevant", "bad_grade"),
        ("7 d1", "wrong_columns"),
        ("7\t\td1", "wrong_columns"),
        ("7 0 d1 1 x", "wrong_columns"),
    ],
)
def test_a_broken_judgment_harms_no_other(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "qrels"
    file.write_text(f"1 0 d 1\n{line}\n2 0 d 1\n")
    bad = BadRows(skip=True)
    assert [qrel.query for qrel in read_qrels(file, bad)] == ["1", "2"]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{file}:2", reason)]


def test_a_broken_query_is_an_error_unless_skipped(tmp_path: Path) -> None:
    file = tmp_path / "q.tsv"
    file.write_text("7\twho\n8\n")
    with pytest.raises(UserError, match=r"q\.tsv:2: .* number of columns"):
        list(read_queries(file, STRICT))
