from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import BadRow, NoDocumentsError, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.corpora.summary import WordCounts, summarise


def test_everything_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("".join(f"d{n}\t{'word ' * n}\n" for n in range(1, 11)))
    (tmp_path / "q.tsv").write_text("q1\twhich\nq2\twho\n")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    settings = SourceSettings(
        source=str(tmp_path / "a.tsv"), queries=str(tmp_path / "q.tsv"), qrels=str(tmp_path / "qrels")
    )
    summary = summarise(open_source(settings), first=1)
    assert (summary.documents, summary.queries, summary.qrels) == (10, 2, 1)
    assert summary.words == WordCounts(mean=5.5, p10=1, p90=9)
    assert summary.first == (Document("d1", "word "),)
    assert (summary.faults, summary.first_faults) == ({}, ())


def test_faults_of_documents_queries_and_qrels_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("d1\tone\n" + "bad\n" * 7)
    (tmp_path / "q.tsv").write_text("q1\twhich\nbad\n")
    (tmp_path / "qrels").write_text("q1 0 d1 x\n")
    settings = SourceSettings(
        source=str(tmp_path / "a.tsv"), queries=str(tmp_path / "q.tsv"), qrels=str(tmp_path / "qrels")
    )
    summary = summarise(open_source(settings), first=0)
    assert summary.faults == {"bad_grade": 1, "wrong_columns": 8}
    assert len(summary.first_faults) == 5
    assert summary.first_faults[0] == BadRow(f"{tmp_path / 'a.tsv'}:2", "wrong_columns", "bad")


def test_a_source_of_bad_rows_only_is_still_described(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{\n")
    summary = summarise(open_source(SourceSettings(source=str(tmp_path / "a.jsonl"))), first=3)
    assert (summary.documents, summary.words, summary.faults) == (0, None, {"invalid_json": 1})


def test_an_empty_source_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(NoDocumentsError):
        summarise(open_source(SourceSettings(source=str(tmp_path / "a.jsonl"))), first=3)


def test_progress_is_told_in_steps(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("".join(f"d{n}\tx\n" for n in range(2500)))
    steps: list[int] = []
    summarise(open_source(SourceSettings(source=str(tmp_path / "a.tsv"))), first=0, advance=steps.append)
    assert steps == [1000, 1000]
