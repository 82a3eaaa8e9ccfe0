"""Files as lines: encodings, front matter, comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.ingest.source import FrontMatter, read_source


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.md"


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"one\r\ntwo\r\n", ("one", "two"), id="CRLF"),
        pytest.param(b"one\rtwo", ("one", "two"), id="CR"),
        pytest.param(b"\xef\xbb\xbfone\n", ("one",), id="byte order mark"),
        pytest.param(b"", ("",), id="empty"),
        pytest.param("one\x0ctwo\u2028three".encode(), ("one\x0ctwo\u2028three",), id="marks that end no line"),
    ],
)
def test_lines_are_those_of_the_file(file: Path, data: bytes, lines: tuple[str, ...]) -> None:
    file.write_bytes(data)
    assert read_source(file).lines == lines


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"fine\nbad \xff here\n", r"a\.md:2: byte 0xff at column 5 is not UTF-8", id="invalid UTF-8"),
        pytest.param(b"fine\n\nzero\0byte\n", r"a\.md:3: NUL byte", id="NUL"),
        pytest.param(
            b"---\ntitle: [open\n---\n", r"a\.md:2: this is not valid YAML: .*but got '<stream end>'", id="broken YAML"
        ),
        pytest.param(
            b"---\ndate: 2024-02-30\n---\n", r"a\.md:2: '2024-02-30' is neither a number nor a date", id="no such day"
        ),
        pytest.param(
            b"---\ntitle: T\nvalid_to: 2024-01-01\n\nText.\n",
            r"a\.md:1: the front matter that begins here is not closed",
            id="never closed",
        ),
        pytest.param(
            b"---\nvalid_to: 2024-01-01\ntitle: T\nvalid_to: 2025-01-01\n---\n",
            r"a\.md:4: duplicate key 'valid_to'",
            id="doubled key",
        ),
        pytest.param(
            b"---\nvalid_from: soon\n---\n", r"valid_from 'soon' is not a date or time in ISO 8601", id="no date"
        ),
        pytest.param(b"---\nvalid_from: 2026-02-01\nvalid_to: 2026-01-01\n---\n", r"must be later", id="never valid"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(file: Path, data: bytes, message: str) -> None:
    file.write_bytes(data)
    with pytest.raises(UserError, match=message):
        read_source(file)


def test_front_matter_is_read_and_keeps_its_lines_empty(file: Path) -> None:
    file.write_text("---\ntitle: Night shift\nvalid_from: 2026-01-01\nvalid_to: 2027-01-01\ntags: [a]\n---\nText\n")
    source = read_source(file)
    assert source.front == FrontMatter("Night shift", "2026-01-01", "2027-01-01")
    assert source.lines == ("", "", "", "", "", "", "Text")


@pytest.mark.parametrize(
    ("since", "until"),
    [
        pytest.param("2024-05-01T23:00+02:00", "2024-05-01T22:00Z", id="another zone"),
        pytest.param("20240501", "2024-06-01", id="another spelling"),
        pytest.param("2024-05-01", "2024-05-01T00:00:01", id="a second of a day"),
    ],
)
def test_times_are_compared_as_times(file: Path, since: str, until: str) -> None:
    file.write_text(f"---\nvalid_from: {since}\nvalid_to: '{until}'\n---\nText\n")
    assert read_source(file).front.valid_to == until
    file.write_text(f"---\nvalid_from: '{until}'\nvalid_to: {since}\n---\nText\n")
    with pytest.raises(UserError, match="must be later than"):
        read_source(file)


def test_a_rule_across_the_page_is_no_front_matter(file: Path) -> None:
    file.write_text("---\nText\n---\n")
    assert read_source(file).front == FrontMatter()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a <!-- hidden --> b", ("a  b",)),
        ("a <!-- hidden\nstill hidden\nend --> b", ("a ", "", " b")),
        ("a <!-- never closed\nb", ("a <!-- never closed", "b")),
        ("```\n<!-- code -->\n```", ("```", "<!-- code -->", "```")),
        ("<!-- one --> a <!-- two --> b", (" a  b",)),
    ],
)
def test_comments_are_dropped(file: Path, text: str, lines: tuple[str, ...]) -> None:
    file.write_text(text)
    assert read_source(file).lines == lines
