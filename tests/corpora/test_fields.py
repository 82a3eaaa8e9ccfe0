from __future__ import annotations

import datetime
from collections.abc import Mapping

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Query
from constraintsuite.corpora.base import BadRows, Reason
from constraintsuite.corpora.fields import Fields, FileRecord, content_id, read_documents, read_query_rows


def read(*values: Mapping[str, object], fields: Fields | None = None, bad: BadRows | None = None) -> list[Document]:
    rows = [FileRecord(f"f:{number}", row) for number, row in enumerate(values, 1)]
    return list(read_documents(rows, fields or Fields(), bad or BadRows()))


@pytest.mark.parametrize("name", ["id", "_id", "docid", "doc_id", "docno", "pid", "DOCNO", "Id"])
def test_usual_id_fields_are_found(name: str) -> None:
    assert read({name: "d1", "text": "a"}) == [Document("d1", "a")]


@pytest.mark.parametrize("name", ["title", "name", "heading", "Title"])
def test_usual_title_fields_are_found(name: str) -> None:
    assert read({"id": "d1", name: "T", "text": "a"}) == [Document("d1", "a", "T")]


@pytest.mark.parametrize("name", ["text", "contents", "body", "passage", "content", "Text"])
def test_usual_text_fields_are_found(name: str) -> None:
    assert read({"id": "d1", name: "a"}) == [Document("d1", "a")]


def test_the_first_usual_name_wins_and_the_other_becomes_metadata() -> None:
    assert read({"content": "long", "text": "short", "id": "1"}) == [Document("1", "short", "", {"content": "long"})]


def test_named_fields_win_over_usual_ones() -> None:
    fields = Fields(id="key", title="head", text="abstract")
    row = {"key": "k", "head": "H", "abstract": "a", "text": "b"}
    assert read(row, fields=fields) == [Document("k", "a", "H", {"text": "b"})]


def test_without_an_id_the_content_decides_it() -> None:
    first, again, other = read({"text": "a"}, {"text": "a"}, {"text": "a", "title": "T"})
    assert first.id == again.id == "b20cbd2efbe49670"  # sha256 of "\x1fa"
    assert other.id == content_id("T", "a") != first.id


@pytest.mark.parametrize(
    ("value", "text"), [(7, "7"), (2.5, "2.5"), (" d 1 ", "d 1"), (2**70, "1180591620717411303424")]
)
def test_ids_become_strings_without_outer_space(value: object, text: str) -> None:
    assert read({"id": value, "text": "a"})[0].id == text


def test_other_single_values_become_metadata() -> None:
    row = {
        "id": 1,
        "text": "a",
        "year": 1999,
        "open": True,
        "rate": 0.5,
        "on": datetime.date(2024, 2, 29),
        "empty": None,
    }
    assert read(row)[0].metadata == {"year": "1999", "open": "true", "rate": "0.5", "on": "2024-02-29"}


def test_lists_and_objects_are_no_metadata() -> None:
    assert read({"id": 1, "text": "a", "tags": ["x"], "author": {"name": "y"}, "vector": (1.0,)})[0].metadata == {}


def test_a_metadata_object_is_read_and_the_outer_field_wins() -> None:
    row = {"id": 1, "text": "a", "metadata": {"url": "in", "page": 3}, "url": "out"}
    assert read(row)[0].metadata == {"url": "out", "page": "3"}


def test_nul_bytes_stay_for_the_cleaning_that_comes_later() -> None:
    assert read({"id": 1, "text": "a\x00b"})[0].text == "a\x00b"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"id": 1, "text": ""}, "missing_text"),
        ({"id": 1, "text": " \n"}, "missing_text"),
        ({"id": 1, "text": None}, "missing_text"),
        ({"id": 1}, "missing_text"),
        ({"id": 1, "text": 5}, "not_text"),
        ({"id": 1, "text": ["a"]}, "not_text"),
        ({"id": None, "text": "a"}, "missing_id"),
        ({"id": " ", "text": "a"}, "missing_id"),
        ({"id": float("nan"), "text": "a"}, "missing_id"),
        ({"id": ["x"], "text": "a"}, "not_text"),
        ({"id": True, "text": "a"}, "not_text"),
        ({"id": 1, "text": "a", "title": {"en": "T"}}, "not_text"),
        ({"id": 1, "text": "\ud800"}, "invalid_utf8"),
        ({"id": 1, "text": b"\xff"}, "invalid_utf8"),
        ({"id": 1, "text": "a", "note": "\udc80"}, "invalid_utf8"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_with_its_reason(values: Mapping[str, object], reason: Reason) -> None:
    bad = BadRows(skip=True)
    good = {"id": 0, "text": "good"}
    assert [document.id for document in read(good, values, good, bad=bad)] == ["0", "0"]
    assert [(row.where, row.reason) for row in bad.rows] == [("f:2", reason)]


def test_a_first_record_without_text_tells_the_fields_that_are_there() -> None:
    with pytest.raises(UserError) as error:
        read({"key": 1, "abstract": "a"})
    assert str(error.value) == (
        "f:1: no field of the text (tried text, contents, body, passage, content). The fields are: key, abstract. "
        "Choose with --text-field, --title-field and --id-field."
    )


@pytest.mark.parametrize("fields", [Fields(text="txt"), Fields(id="key")])
def test_a_named_field_that_is_not_there_is_an_error(fields: Fields) -> None:
    with pytest.raises(UserError, match=r"f:1: no field '(txt|key)'. The fields are: id, text"):
        read({"id": 1, "text": "a"}, fields=fields)


def test_a_named_title_that_no_record_has_is_an_error() -> None:
    with pytest.raises(UserError, match="No record has a field 'headline'"):
        read({"id": 1, "text": "a"}, {"id": 2, "text": "b"}, fields=Fields(title="headline"))


def test_a_named_title_may_be_missing_in_some_records() -> None:
    documents = read({"id": 1, "text": "a"}, {"id": 2, "text": "b", "head": "H"}, fields=Fields(title="head"))
    assert [document.title for document in documents] == ["", "H"]


def test_skipping_passes_over_an_odd_first_record() -> None:
    bad = BadRows(skip=True)
    assert read({"version": 3}, {"id": 1, "text": "a"}, bad=bad) == [Document("1", "a")]
    assert bad.counts == {"missing_text": 1}


def test_skipping_passes_over_a_first_record_without_the_named_id() -> None:
    bad = BadRows(skip=True)
    assert read({"text": "a"}, {"key": "k", "text": "b"}, fields=Fields(id="key"), bad=bad) == [Document("k", "b")]
    assert bad.counts == {"missing_id": 1}


def test_skipping_does_not_hide_that_no_record_has_a_text() -> None:
    with pytest.raises(UserError, match="The fields are: version"):
        read({"version": 3}, {"version": 4}, bad=BadRows(skip=True))


def test_queries_have_their_own_usual_names() -> None:
    rows = [FileRecord("f:1", {"qid": 3, "query": "who"}), FileRecord("f:2", {"query_id": "q", "query": "what"})]
    assert list(read_query_rows(rows, BadRows())) == [Query("3", "who"), Query("q", "what")]
