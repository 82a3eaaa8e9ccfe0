from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.beir import BeirSource


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "scifact"
    (root / "qrels").mkdir(parents=True)
    (root / "corpus.jsonl").write_text(
        '{"_id": "4983", "title": "T", "text": "one", "metadata": {"url": "u"}}\n'
        '{"_id": "5836", "title": "", "text": "two"}\n'
    )
    (root / "queries.jsonl").write_text('{"_id": "0", "text": "what?", "metadata": {}}\n{"_id": "2", "text": "who?"}\n')
    (root / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n2\t5836\t1\n")
    (root / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n0\t4983\t2\n")
    return root


def test_corpus_queries_and_qrels_are_read(folder: Path) -> None:
    source = BeirSource(SourceSettings(source=str(folder)))
    assert source.name == "scifact"
    assert list(source.documents(BadRows())) == [Document("4983", "one", "T", {"url": "u"}), Document("5836", "two")]
    assert list(source.queries()) == [Query("0", "what?"), Query("2", "who?")]
    assert list(source.qrels()) == [Qrel("0", "4983", 2), Qrel("2", "5836", 1)]


def test_a_split_chooses_its_qrels(folder: Path) -> None:
    assert list(BeirSource(SourceSettings(source=str(folder), split="train")).qrels()) == [Qrel("2", "5836", 1)]


def test_a_split_that_is_not_there_tells_those_that_are(folder: Path) -> None:
    with pytest.raises(UserError, match=r"no qrels/dev\.tsv\. The splits are: test, train"):
        BeirSource(SourceSettings(source=str(folder), split="dev"))


def test_a_packed_corpus_without_queries_is_enough(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "1", "text": "one"}\n'))
    source = BeirSource(SourceSettings(source=str(tmp_path)))
    assert [document.id for document in source.documents(BadRows())] == ["1"]
    assert (list(source.queries()), list(source.qrels())) == ([], [])


def test_a_folder_without_a_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no corpus\.jsonl in this folder"):
        BeirSource(SourceSettings(source=str(tmp_path)))


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_the_fingerprint_follows_every_file(folder: Path, name: str) -> None:
    before = BeirSource(SourceSettings(source=str(folder))).fingerprint()
    with (folder / name).open("a") as file:
        file.write("\n")
    assert BeirSource(SourceSettings(source=str(folder))).fingerprint() != before
