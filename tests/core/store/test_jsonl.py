"""Records survive the way through a file; a line that does not fit is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel
from constraintsuite.core.store.jsonl import encode, read_jsonl, read_lines, write_jsonl

texts = st.text(st.characters(exclude_categories=["Cs"]))  # every character that UTF-8 can hold, line ends included
documents = st.builds(Document, texts, texts, texts, st.dictionaries(texts, texts, max_size=3))

GOOD = b'{"id":"d1","text":"A soup.","title":"","metadata":{}}\n'


@given(st.lists(documents, max_size=5))
def test_documents_come_back_as_they_were(written: list[Document]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        assert write_jsonl(path, written) == len(written)
        assert path.read_bytes().count(b"\n") == len(written)
        assert list(read_jsonl(path, Document)) == written


def test_a_line_is_compact_and_in_the_order_of_the_record() -> None:
    document = Document("d1", "crème", "Soup", {"year": "1966"})
    assert encode(document).decode() == '{"id":"d1","text":"crème","title":"Soup","metadata":{"year":"1966"}}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": "d2"}', "text: Field required"),
        (b'{"id": "d2", "text": 7}', "text: Input should be a valid string, got 7"),
        (b'{"id": 1, "text": 7}', "id: Input should be a valid string, got 1 (and 1 more)"),
        (b"[1, 2", "the record: Invalid JSON"),
        (b'{"id": "d2", "text": "\xff"}', "the record: Invalid JSON"),
    ],
)
def test_a_line_that_does_not_fit_is_named_with_its_fault(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD + b"\n" + line + b"\n")
    with pytest.raises(UserError) as caught:
        list(read_jsonl(path, Document))
    assert str(caught.value).startswith(f"{path}:3: {message}")


def test_all_lines_are_given_with_their_numbers_also_those_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"[1\n\n" + GOOD + b'{"id": "d2"}\n')
    lines = list(read_lines(path, Document))
    assert [(line.number, line.record is None) for line in lines] == [(1, True), (3, False), (4, True)]
    assert lines[2].fault.startswith("text: Field required")


def test_a_grade_that_is_no_number_is_named(tmp_path: Path) -> None:
    path = tmp_path / "qrels.jsonl"
    path.write_text('{"query": "q", "document": "d", "grade": "good"}\n')
    with pytest.raises(UserError, match=r"qrels\.jsonl:1: grade: .*got 'good'"):
        list(read_jsonl(path, Qrel))


def test_empty_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n" + GOOD + b"  \n" + GOOD)
    assert [document.id for document in read_jsonl(path, Document)] == ["d1", "d1"]


def test_a_missing_file_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        list(read_jsonl(tmp_path / "none.jsonl", Document))


def test_no_file_appears_when_the_records_break_off(tmp_path: Path) -> None:
    def broken() -> Iterator[Document]:
        yield Document("d1", "A soup.")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_jsonl(tmp_path / "a.jsonl", broken())
    assert list(tmp_path.iterdir()) == []
