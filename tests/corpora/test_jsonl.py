from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.corpora import jsonl
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.jsonl import JsonlSource, read_objects

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
RECORDS = st.lists(st.dictionaries(TEXTS, TEXTS | st.integers() | st.lists(TEXTS, max_size=3), max_size=4), min_size=1)


def objects(path: Path, bad: BadRows | None = None) -> list[object]:
    return [dict(row.values) for row in read_objects(path, bad or BadRows())]


def test_each_line_is_a_document(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": 1, "title": "T", "text": "one", "lang": "en"}\n\n{"id": 2, "text": "two"}')
    assert list(JsonlSource(SourceSettings(source=str(file))).documents(BadRows())) == [
        Document("1", "one", "T", {"lang": "en"}),
        Document("2", "two"),
    ]


def test_an_array_is_a_list_of_documents(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[\n {"title": "T",\n  "text": "[one], {two}"},\n {"title": "U", "text": "\\"three\\""}\n]\n')
    documents = list(JsonlSource(SourceSettings(source=str(file))).documents(BadRows()))
    assert [(document.title, document.text) for document in documents] == [("T", "[one], {two}"), ("U", '"three"')]


def test_gzip_crlf_and_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b'\xef\xbb\xbf{"text": "one"}\r\n{"text": "two"}\r\n'))
    assert objects(file) == [{"text": "one"}, {"text": "two"}]


@given(records=RECORDS, indent=st.sampled_from([None, 2]), ascii_only=st.booleans(), chunk=st.integers(1, 40))
def test_an_array_comes_back_whatever_the_size_of_the_chunks(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], indent: int | None, ascii_only: bool, chunk: int
) -> None:
    file = tmp_path_factory.mktemp("array") / "a.json"
    file.write_text(json.dumps(records, indent=indent, ensure_ascii=ascii_only), encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "_CHUNK", chunk)
        assert objects(file) == records


@given(records=RECORDS, ascii_only=st.booleans(), end=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_lines_come_back(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], ascii_only: bool, end: str
) -> None:
    file = tmp_path_factory.mktemp("lines") / "a.jsonl"
    file.write_text(
        "".join(json.dumps(r, ensure_ascii=ascii_only) + end for r in records), encoding="utf-8", newline=""
    )
    assert objects(file) == records


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": "a"', "invalid_json"),
        (b'"text"', "invalid_json"),
        (b"[1, 2]", "invalid_json"),
        (b"null", "invalid_json"),
        (b"\x00", "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b'{"text": "caf\xe9"}', "invalid_utf8"),
    ],
)
def test_a_broken_line_harms_no_other(tmp_path: Path, line: bytes, reason: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"text": "one"}\n' + line + b'\n{"text": "two"}\n')
    bad = BadRows(skip=True)
    assert objects(file, bad) == [{"text": "one"}, {"text": "two"}]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{file}:2", reason)]


@pytest.mark.parametrize(
    ("element", "reason"),
    [(b'{"text": tru}', "invalid_json"), (b"7", "invalid_json"), (b'{"text": "caf\xe9"}', "invalid_utf8")],
)
def test_a_broken_element_harms_no_other(tmp_path: Path, element: bytes, reason: str) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'\n[{"text":\n "one"},\n\n' + element + b',\n{"text": "two"}]')
    bad = BadRows(skip=True)
    assert objects(file, bad) == [{"text": "one"}, {"text": "two"}]
    assert [(row.where, row.reason) for row in bad.rows] == [(f"{file}:5", reason)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"text": "one"},\n{"text": "tw', r"a\.json:2: the JSON array cannot be read from here on"),
        ('[{"text": "one"}', r"a\.json:1: the JSON array cannot be read from here on"),
        ('[{"text": "one"}]\n[{"text": "two"}]', r"a\.json:2: there is text after the end of the JSON array"),
    ],
)
def test_an_array_that_is_broken_itself_is_never_skipped_in_part(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        objects(file, BadRows(skip=True))


def test_an_element_that_never_ends_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "_CHUNK", 100)
    monkeypatch.setattr(jsonl, "_LONGEST_ELEMENT", 1000)
    file = tmp_path / "a.json"
    file.write_text('[{"text": "' + "x" * 5000 + '"}]')
    with pytest.raises(UserError, match="cannot be read from here on"):
        objects(file)


@pytest.mark.parametrize("text", ["[]", " [ ] ", "", "\n\n"])
def test_an_empty_file_has_no_objects(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text)
    assert objects(file) == []


def test_raw_control_characters_inside_a_string_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"text": "a\x00b\tc", "more": "\\u0000"}\n')
    assert objects(file) == [{"text": "a\x00b\tc", "more": "\x00"}]


def test_a_very_long_line_is_one_document(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": 1, "text": "word " * 1_000_000}) + '\n{"id": 2, "text": "b"}\n')
    documents = JsonlSource(SourceSettings(source=str(file))).documents(BadRows())
    assert [len(document.text) for document in documents] == [5_000_000, 1]


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "2.jsonl").write_text('{"id": "b", "text": "b"}\n')
    (tmp_path / "1.jsonl").write_text('{"id": "a", "text": "a"}\n')
    source = JsonlSource(SourceSettings(source=str(tmp_path)))
    assert (source.name, [document.id for document in source.documents(BadRows())]) == (tmp_path.name, ["a", "b"])


def test_the_fingerprint_follows_the_chosen_field(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "a", "body": "b"}\n')
    plain = JsonlSource(SourceSettings(source=str(file))).fingerprint()
    assert plain == JsonlSource(SourceSettings(source=str(file), limit=3)).fingerprint()
    assert plain != JsonlSource(SourceSettings(source=str(file), text_field="body")).fingerprint()
