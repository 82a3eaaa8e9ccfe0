"""A corpus may lie in an object store: it is fetched once, and is the same corpus as the file that it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.mirror import with_urls
from constraintsuite.corpora.base import STRICT, SourceSettings
from constraintsuite.corpora.registry import find_format, open_source
from core.store.s3_server import Server

DOCS = b'{"id": "a", "text": "tea without milk"}\n{"id": "b", "text": "tea with milk"}\n'
URL = "s3://bucket/corpora/docs.jsonl"


def texts(settings: SourceSettings) -> list[str]:
    return [document.text for document in open_source(settings).documents(STRICT)]


def test_a_file_there_is_the_same_source_as_the_file_here(s3: Server, tmp_path: Path) -> None:
    s3.write("corpora/docs.jsonl", DOCS)
    (tmp_path / "docs.jsonl").write_bytes(DOCS)
    there = open_source(SourceSettings(source=URL))
    here = open_source(SourceSettings(source=str(tmp_path / "docs.jsonl")))
    assert (there.name, there.fingerprint()) == (here.name, here.fingerprint())
    assert list(there.documents(STRICT)) == list(here.documents(STRICT))


def test_nothing_beside_it_is_fetched_and_it_is_fetched_once(s3: Server, tmp_path: Path) -> None:
    s3.write("corpora/docs.jsonl", DOCS)
    s3.write("corpora/huge.bin", b"0" * 100)
    settings = SourceSettings(source=URL)
    assert texts(settings) == ["tea without milk", "tea with milk"]
    copies = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.name == "docs.jsonl"]
    written = [path.stat().st_mtime_ns for path in copies]
    assert find_format(settings) == "jsonl"
    assert [path.stat().st_mtime_ns for path in copies] == written
    assert not list((tmp_path / "cache").rglob("huge.bin"))


def test_a_file_that_was_replaced_there_is_read_anew(s3: Server) -> None:
    s3.write("corpora/docs.jsonl", DOCS)
    settings = SourceSettings(source=URL)
    first = open_source(settings).fingerprint()
    s3.write("corpora/docs.jsonl", DOCS.replace(b"tea", b"kir"))
    assert texts(settings) == ["kir without milk", "kir with milk"]
    assert open_source(settings).fingerprint() != first


def test_a_folder_there_is_read_as_one_here_with_queries_and_judgments(s3: Server) -> None:
    s3.write("corpora/tea/part-0.jsonl", DOCS)
    s3.write("judged/queries.tsv", b"q1\ttea\n")
    s3.write("judged/qrels.txt", b"q1 0 a 1\n")
    judged = {"queries": "s3://bucket/judged/queries.tsv", "qrels": "s3://bucket/judged/qrels.txt"}
    source = open_source(SourceSettings(source="s3://bucket/corpora/tea/", **judged))
    assert [document.id for document in source.documents(STRICT)] == ["a", "b"]
    assert [query.id for query in source.queries()] == ["q1"]
    assert [qrel.document for qrel in source.qrels()] == ["a"]


def test_a_bad_row_is_named_by_its_url(s3: Server) -> None:
    s3.write("corpora/docs.jsonl", DOCS + b"no json\n")
    with pytest.raises(UserError) as raised:
        texts(SourceSettings(source=URL))
    assert with_urls(str(raised.value)).startswith(f"{URL}:3: this row cannot be used")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("s3://bucket/corpora/none.jsonl", "s3://bucket/corpora/none.jsonl: there is no such object"),
        ("s3://bucket", "s3://bucket: this names no file or folder in a bucket"),
        ("s3://nowhere/docs.jsonl", "there is no bucket or container named 'nowhere'"),
        ("https://host/docs.jsonl", "https:// is not a known kind of store"),
    ],
)
def test_what_is_not_there_is_said(s3: Server, source: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_source(SourceSettings(source=source))
