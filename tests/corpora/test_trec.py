from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.records.text import Document, Query
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.trec import TrecSource, read_topics


def read(tmp_path: Path, data: bytes | str, bad: BadRows | None = None, **settings: str) -> list[Document]:
    file = tmp_path / "a.trec"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(TrecSource(SourceSettings(source=str(file), **settings)).documents(bad or BadRows()))


@pytest.mark.parametrize(
    ("data", "document"),
    [
        ("<DOC>\n<DOCNO>1</DOCNO>\nsome text\nhere\n</DOC>\n", Document("1", "some text\nhere")),
        ("<DOC><DOCNO> 1 </DOCNO>some text</DOC>", Document("1", "some text")),
        ("<doc id='x'>\r\n<docno>1</docno>\r\nsome text\r\n</doc>\r\n", Document("1", "some text")),
        ("<DOC><DOCNO>1</DOCNO><TITLE>The\nT</TITLE>body</DOC>", Document("1", "body", "The T")),
        ("<DOC><DOCNO>1</DOCNO><TEXT><P>one</P>\n<P>two</P></TEXT></DOC>", Document("1", "one \n two")),
        ("<DOC><DOCNO>1</DOCNO><DATE> 1 May </DATE><TEXT>a</TEXT></DOC>", Document("1", "a", "", {"date": "1 May"})),
        ("<DOC><DOCNO>1</DOCNO><TEXT>a</TEXT><TEXT>b</TEXT></DOC>", Document("1", "a\nb")),
        (
            "<DOC><DOCNO>1</DOCNO>R&D; AT&T, &lt;b&gt; &amp; 1 < 2 &#233;</DOC>",
            Document("1", "R&D; AT&T, <b> & 1 < 2 é"),
        ),
        ("<!-- header -->\n<DOC><DOCNO>1</DOCNO>a</DOC>\n<!-- end -->", Document("1", "a")),
    ],
)
def test_a_document_is_read(tmp_path: Path, data: str, document: Document) -> None:
    assert read(tmp_path, data) == [document]


def test_many_unclosed_tags_cost_no_time(tmp_path: Path) -> None:
    page = "<p>word " * 100_000 + "<text>" * 20_000 + "<title>" * 20_000
    documents = read(tmp_path, f"<DOC><DOCNO>1</DOCNO>{page}</DOC>")
    assert documents[0].text.split() == ["word"] * 100_000


def test_tags_can_be_chosen(tmp_path: Path) -> None:
    data = "<DOC><NR>7</NR><TTL>T</TTL><BODY>b</BODY><TEXT>a</TEXT></DOC>"
    documents = read(tmp_path, data, id_field="NR", title_field="ttl", text_field="Body")
    assert documents == [Document("7", "b", "T", {"text": "a"})]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"<DOC>text without number</DOC>", "missing_id"),
        (b"<DOC><DOCNO>2</DOCNO></DOC>", "missing_text"),
        (b"<DOC><DOCNO>2</DOCNO>caf\xe9</DOC>", "invalid_utf8"),
        (b"<DOC><DOCNO>2</DOCNO>not closed", "broken_markup"),
        (b"</DOC>", "broken_markup"),
    ],
)
def test_a_broken_document_harms_no_other(tmp_path: Path, document: bytes, reason: str) -> None:
    bad = BadRows(skip=True)
    good = b"<DOC><DOCNO>%d</DOCNO>good</DOC>\n"
    documents = read(tmp_path, good % 1 + document + b"\n" + good % 3, bad)
    assert [document.id for document in documents] == ["1", "3"]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{tmp_path / 'a.trec'}:2", reason)]


def test_a_document_that_the_end_of_the_file_cuts_off_is_told(tmp_path: Path) -> None:
    bad = BadRows(skip=True)
    assert read(tmp_path, "<DOC><DOCNO>1</DOCNO>cut", bad) == []
    assert bad.counts == {"broken_markup": 1}


@pytest.mark.parametrize(
    "topic",
    [
        "<top>\n<num>301</num><title>\nforeign minorities,\n Germany\n</title>\n</top>",
        "<top>\n<num> Number: 301\n<title> foreign minorities, Germany\n\n<desc> Description:\nWhat…\n</top>",
        "<TOP><NUM>301</NUM><TITLE>Topic: foreign minorities, Germany</TITLE></TOP>",
    ],
)
def test_topics_are_queries(tmp_path: Path, topic: str) -> None:
    file = tmp_path / "topics.txt"
    file.write_text(topic)
    assert list(read_topics(file, BadRows())) == [Query("301", "foreign minorities, Germany")]


@pytest.mark.parametrize(
    ("topic", "reason"),
    [("<top><title>a</top>", "missing_id"), ("<top><num>1</top>", "missing_text"), ("<top><num>1", "broken_markup")],
)
def test_a_topic_without_its_parts_is_told(tmp_path: Path, topic: str, reason: str) -> None:
    file = tmp_path / "topics.txt"
    file.write_text(topic)
    bad = BadRows(skip=True)
    assert list(read_topics(file, bad)) == []
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{file}:1", reason)]
