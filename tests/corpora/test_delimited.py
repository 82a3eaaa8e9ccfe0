from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.corpora import delimited
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.delimited import CsvSource, TsvSource, read_csv, read_tsv

CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TABLES = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=6))


def tsv(path: Path, data: bytes, bad: BadRows | None = None, **settings: str) -> list[Document]:
    path = path / "a.tsv"
    path.write_bytes(data)
    return list(TsvSource(SourceSettings(source=str(path), **settings)).documents(bad or BadRows()))


def csv_file(path: Path, data: bytes, bad: BadRows | None = None) -> list[Document]:
    path = path / "a.csv"
    path.write_bytes(data)
    return list(CsvSource(SourceSettings(source=str(path))).documents(bad or BadRows()))


@pytest.mark.parametrize(
    ("data", "documents"),
    [
        (b"d1\tone\nd2\ttwo\n", [Document("d1", "one"), Document("d2", "two")]),
        (b"d1\tT\tone\n", [Document("d1", "one", "T")]),
        (b"id\ttext\nd1\tone\n", [Document("d1", "one")]),
        (b"Text\tID\none\td1\n", [Document("d1", "one")]),
        (b"docno\turl\tcontents\nd1\tu\tone\n", [Document("d1", "one", "", {"url": "u"})]),
        (b"\xef\xbb\xbfid\ttext\r\nd1\tone\r\n\r\n", [Document("d1", "one")]),
        (b'd1\t"one" and "two\n', [Document("d1", '"one" and "two')]),
        (b"d1\ta\x00b", [Document("d1", "a\x00b")]),
    ],
)
def test_tsv_with_and_without_header(tmp_path: Path, data: bytes, documents: list[Document]) -> None:
    assert tsv(tmp_path, data) == documents


@pytest.mark.parametrize(
    ("data", "documents"),
    [
        (b"d1,one\nd2,two\n", [Document("d1", "one"), Document("d2", "two")]),
        (b'id,text\nd1,"one, ""two""\r\nthree"\r\n', [Document("d1", 'one, "two"\r\nthree')]),
        (b'd1,"one\n\ntwo"\n\nd2,three\n', [Document("d1", "one\n\ntwo"), Document("d2", "three")]),
        (b'\xef\xbb\xbf"id","text"\nd1,one\n,\n', [Document("d1", "one")]),
    ],
)
def test_csv_with_and_without_header(tmp_path: Path, data: bytes, documents: list[Document]) -> None:
    assert csv_file(tmp_path, data) == documents


def test_a_named_field_means_that_there_is_a_header(tmp_path: Path) -> None:
    assert tsv(tmp_path, b"key\tabstract\nk\ta\n", text_field="abstract", id_field="key") == [Document("k", "a")]


def test_columns_without_a_header_can_be_named_by_number(tmp_path: Path) -> None:
    data = b"d1\thttp://a\tT\tone\n"
    documents = tsv(tmp_path, data, id_field="1", title_field="3", text_field="4")
    assert documents == [Document("d1", "one", "T", {"2": "http://a"})]


@pytest.mark.parametrize(("data", "columns"), [(b"one line\n", "1 column,"), (b"a\tb\tc\td\n", "4 columns,")])
def test_another_number_of_columns_needs_a_header(tmp_path: Path, data: bytes, columns: str) -> None:
    with pytest.raises(UserError, match=rf"a\.tsv:1: {columns} and no header with a usual name") as error:
        tsv(tmp_path, data)
    assert "--text-field" in str(error.value)


def test_a_header_without_text_tells_its_columns(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The fields are: id, abstract"):
        tsv(tmp_path, b"id\tabstract\n1\ta\n")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"d2", "wrong_columns"),
        (b"d2\ta\tb", "wrong_columns"),
        (b"\ttext", "missing_id"),
        (b"d2\t ", "missing_text"),
        (b"d2\tcaf\xe9", "invalid_utf8"),
    ],
)
def test_a_broken_tsv_line_harms_no_other(tmp_path: Path, line: bytes, reason: str) -> None:
    bad = BadRows(skip=True)
    documents = tsv(tmp_path, b"d1\tone\n" + line + b"\nd3\tthree\n", bad)
    assert [document.id for document in documents] == ["d1", "d3"]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{tmp_path / 'a.tsv'}:2", reason)]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"d2", "wrong_columns"),
        (b'd2,"never closed', "broken_quotes"),
        (b'd2,"closed" and on', "broken_quotes"),
        (b'd2,"caf\xe9\nother"', "invalid_utf8"),
    ],
)
def test_a_broken_csv_record_harms_no_other(tmp_path: Path, record: bytes, reason: str) -> None:
    bad = BadRows(skip=True)
    documents = csv_file(tmp_path, b'd1,"one\nline"\n' + record + b'\nd3,"three"\nd4,four\n', bad)
    assert [document.id for document in documents] == ["d1", "d3", "d4"]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{tmp_path / 'a.csv'}:3", reason)]


def test_a_quote_that_never_closes_does_not_swallow_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_LONGEST_RECORD", 100)
    bad = BadRows(skip=True)
    documents = csv_file(tmp_path, b'd0,"open\n' + b"".join(b"d%d,some text\n" % n for n in range(1, 200)), bad)
    assert [document.id for document in documents] == [f"d{n}" for n in range(1, 200)]
    assert [row.where for row in bad.rows] == [f"{tmp_path / 'a.csv'}:1"]


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_a_field_may_be_longer_than_the_csv_module_likes(tmp_path: Path, quote: bytes) -> None:
    documents = csv_file(tmp_path, b"d1," + quote + b"word " * 100_000 + quote + b"\n")
    assert len(documents[0].text) == 500_000


@given(table=TABLES)
def test_what_the_csv_module_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]]
) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows(table)
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    file.write_bytes(written.getvalue().encode())
    filled = [row for row in table if any(cell.strip() for cell in row)]
    assert [list(cells) for _, cells in read_csv(file, BadRows())] == filled


@given(table=TABLES)
def test_tab_separated_cells_come_back(tmp_path_factory: pytest.TempPathFactory, table: list[list[str]]) -> None:
    clean = [[cell.translate({9: " ", 10: " ", 13: " ", 0xFEFF: " "}) for cell in row] for row in table]
    file = tmp_path_factory.mktemp("tsv") / "a.tsv"
    file.write_bytes("".join("\t".join(row) + "\n" for row in clean).encode())
    filled = [row for row in clean if any(cell.strip() for cell in row)]
    assert [list(cells) for _, cells in read_tsv(file, BadRows())] == filled
