from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.registry import open_source

arrow = pytest.importorskip("pyarrow", reason="needs the [parquet] extra")
pytest.importorskip("pyarrow.parquet", reason="needs the [parquet] extra")


def write(path: Path, columns: dict[str, object], rows_in_group: int = 1000) -> str:
    arrow.parquet.write_table(arrow.table(columns), path, row_group_size=rows_in_group)
    return str(path)


def test_each_row_is_a_document(tmp_path: Path) -> None:
    columns = {
        "docid": [1, 2],
        "title": ["T", None],
        "text": ["one", "two"],
        "year": [1999, None],
        "new": [True, False],
    }
    file = write(tmp_path / "a.parquet", columns)
    assert list(open_source(SourceSettings(source=file)).documents(BadRows())) == [
        Document("1", "one", "T", {"year": "1999", "new": "true"}),
        Document("2", "two", "", {"new": "false"}),
    ]


def test_many_row_groups_keep_their_order_and_row_numbers(tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", {"id": list(range(5000)), "text": [*["a"] * 4999, ""]}, rows_in_group=700)
    bad = BadRows(skip=True)
    ids = [document.id for document in open_source(SourceSettings(source=file)).documents(bad)]
    assert ids == [str(number) for number in range(4999)]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{file}:5000", "missing_text")]


def test_a_text_that_is_not_utf8_is_the_fault_of_its_row(tmp_path: Path) -> None:
    raw = arrow.array([b"one", b"caf\xe9", b"three"], arrow.binary())
    texts = arrow.StringArray.from_buffers(3, raw.buffers()[1], raw.buffers()[2])
    file = write(tmp_path / "a.parquet", {"id": ["a", "b", "c"], "text": texts})
    bad = BadRows(skip=True)
    assert [document.id for document in open_source(SourceSettings(source=file)).documents(bad)] == ["a", "c"]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{file}:2", "invalid_utf8")]


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "dictionary"])
def test_every_kind_of_text_column_is_read(tmp_path: Path, kind: str) -> None:
    types = {
        "string": arrow.string(),
        "large_string": arrow.large_string(),
        "binary": arrow.binary(),
        "dictionary": arrow.dictionary(arrow.int32(), arrow.string()),
    }
    texts = arrow.array(["één"]).cast(types[kind])
    file = write(tmp_path / "a.parquet", {"id": ["a"], "text": texts})
    assert list(open_source(SourceSettings(source=file)).documents(BadRows())) == [Document("a", "één")]


def test_pictures_and_vectors_are_passed_over(tmp_path: Path) -> None:
    columns = {"id": ["a"], "text": ["one"], "image": [b"\xff\xd8"], "vector": [[0.1, 0.2]], "metadata": [{"page": 3}]}
    file = write(tmp_path / "a.parquet", columns)
    assert list(open_source(SourceSettings(source=file)).documents(BadRows())) == [
        Document("a", "one", "", {"page": "3"})
    ]


def test_a_list_of_texts_is_no_text(tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", {"id": ["a"], "text": [["one", "two"]]})
    with pytest.raises(UserError, match=r"a\.parquet:1: .* is not a text"):
        list(open_source(SourceSettings(source=file)).documents(BadRows()))


def test_wrong_columns_are_told(tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", {"key": ["a"], "abstract": ["one"]})
    with pytest.raises(UserError, match="The fields are: key, abstract"):
        list(open_source(SourceSettings(source=file)).documents(BadRows()))


def test_a_damaged_file_is_the_users_to_mend(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(b"PAR1 not really")
    with pytest.raises(UserError, match=r"a\.parquet: this Parquet file cannot be read after row 0"):
        list(open_source(SourceSettings(source=str(file))).documents(BadRows()))


def test_a_folder_of_parts_is_one_source(tmp_path: Path) -> None:
    write(tmp_path / "part-1.parquet", {"id": ["a"], "text": ["one"]})
    write(tmp_path / "part-2.parquet", {"id": ["b"], "text": ["two"]})
    documents = open_source(SourceSettings(source=str(tmp_path))).documents(BadRows())
    assert [document.id for document in documents] == ["a", "b"]
