from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.files import FileLine, base_name, data_files, decode, ending, fingerprint_files, read_lines


def test_lines_have_their_place_and_no_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfone\r\n\ntwo")
    assert list(read_lines(file)) == [
        FileLine(f"{file}:1", b"one\r\n"),
        FileLine(f"{file}:2", b"\n"),
        FileLine(f"{file}:3", b"two"),
    ]


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(b"one\ntwo\n", mtime=0))
    assert [line.data for line in read_lines(file)] == [b"one\n", b"two\n"]


@pytest.mark.parametrize(
    "data", [b"not gzip", gzip.compress(b"some text" * 100, mtime=0)[:-12], b"\x1f\x8b\x08\x00broken data"]
)
def test_damaged_gzip_is_the_users_to_mend(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.txt.gz"
    file.write_bytes(data)
    with pytest.raises(UserError, match=r"a\.txt\.gz: damaged gzip file"):
        list(read_lines(file))


@pytest.mark.parametrize(("data", "text"), [(b"a\n", "a"), (b"a\r\n", "a"), (b"a\r", "a"), (b"a \x00", "a \x00")])
def test_a_line_loses_its_end_and_nothing_else(data: bytes, text: str) -> None:
    assert decode(FileLine("f:1", data), BadRows()) == text


def test_a_line_that_is_not_utf8_is_a_bad_row() -> None:
    bad = BadRows(skip=True)
    assert decode(FileLine("f:1", b"caf\xe9\n"), bad) is None
    assert bad.counts == {"invalid_utf8": 1}


def test_a_folder_gives_its_files_by_name(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl.gz", "c.txt", "C.JSONL"):
        (tmp_path / name).touch()
    assert [file.name for file in data_files(str(tmp_path), (".jsonl",))] == ["C.JSONL", "a.jsonl.gz", "b.jsonl"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nope\.jsonl: there is no such file"):
        data_files(str(tmp_path / "nope.jsonl"), (".jsonl",))


@pytest.mark.parametrize(("name", "base", "end"), [("wiki.jsonl.gz", "wiki", ".jsonl"), ("v1.2.CSV", "v1.2", ".csv")])
def test_names_are_read_without_gz(name: str, base: str, end: str) -> None:
    assert (base_name(Path(name)), ending(Path(name))) == (base, end)


def test_a_fingerprint_follows_bytes_and_settings_not_names(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"same")
    two.write_bytes(b"same")
    assert fingerprint_files([one], "tsv") == fingerprint_files([two], "tsv") != fingerprint_files([one], "csv")
    two.write_bytes(b"other")
    assert fingerprint_files([one], "tsv") != fingerprint_files([two], "tsv")
