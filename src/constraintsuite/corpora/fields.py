"""Makes documents and queries of records: finds the fields of id, title and text."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Query
from constraintsuite.corpora.base import BadRows, Reason, SourceSettings


class FileRecord(NamedTuple):
    """A record of a file, and its place."""

    where: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fields:
    """The field that the user chose for each part, or the usual names, which are tried in order and in any case."""

    id: str | None = None
    title: str | None = None
    text: str | None = None
    usual_ids: tuple[str, ...] = ("id", "_id", "docid", "doc_id", "docno", "pid")
    usual_titles: tuple[str, ...] = ("title", "name", "heading")
    usual_texts: tuple[str, ...] = ("text", "contents", "body", "passage", "content")

    @property
    def chosen(self) -> tuple[str, ...]:
        """The fields that the user chose."""
        return tuple(name for name in (self.id, self.title, self.text) if name is not None)

    @property
    def usual(self) -> frozenset[str]:
        """The usual names of all parts together."""
        return frozenset(self.usual_ids + self.usual_titles + self.usual_texts)


QUERY_FIELDS = Fields(
    usual_ids=("id", "_id", "qid", "query_id", "query-id", "topic_id"),
    usual_titles=(),
    usual_texts=("text", "query", "question", "title"),
)


def document_fields(settings: SourceSettings) -> Fields:
    """The fields of documents that the settings choose."""
    return Fields(settings.id_field, settings.title_field, settings.text_field)


def read_documents(rows: Iterable[FileRecord], fields: Fields, bad: BadRows) -> Iterator[Document]:
    """The document of each row; a row without an id field gets an id from its content.

    The first row decides which field is the text, and must have the fields that the user chose.
    """
    text_field: str | None = None
    first_error: UserError | None = None
    title_seen = fields.title is None
    for row in rows:
        try:
            text_field = text_field or _text_field(row.values, fields)
            title_seen = title_seen or fields.title in row.values
            document = _document(row.values, fields, text_field)
        except _FaultError as fault:
            if text_field is None:
                first_error = first_error or _wrong_fields(row, fault.detail)
                if not bad.skip:
                    raise first_error from None
            bad.add(row.where, fault.reason, json.dumps(dict(row.values), ensure_ascii=False, default=repr))
        else:
            yield document
    if text_field is None and first_error is not None:
        raise first_error
    if text_field is not None and not title_seen:
        raise UserError(f"No record has a field {fields.title!r}. Choose another with --title-field, or leave it out.")


def read_query_rows(rows: Iterable[FileRecord], bad: BadRows) -> Iterator[Query]:
    """The query of each row; a row without an id field gets an id from its content."""
    return (Query(document.id, document.text) for document in read_documents(rows, QUERY_FIELDS, bad))


def content_id(title: str, text: str) -> str:
    """The id of a document without one, the same for equal texts: the first 16 hexadecimal digits of a SHA-256."""
    return hashlib.sha256(f"{title}\x1f{text}".encode()).hexdigest()[:16]


def is_utf8(text: str) -> bool:
    """Whether a text can be written as UTF-8, which lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _FaultError(Exception):
    """Why a row cannot be used; `detail` says which field is missing."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def _text_field(values: Mapping[str, object], fields: Fields) -> str:
    """The field of the text; a _FaultError if the row does not have the expected fields."""
    if fields.id is not None and fields.id not in values:
        raise _FaultError("missing_id", f"no field {fields.id!r}")
    if fields.text is not None and fields.text not in values:
        raise _FaultError("missing_text", f"no field {fields.text!r}")
    found = fields.text or _first_of(fields.usual_texts, tuple(values))
    if found is None:
        raise _FaultError("missing_text", f"no field of the text (tried {', '.join(fields.usual_texts)})")
    return found


def _wrong_fields(row: FileRecord, detail: str) -> UserError:
    fields = ", ".join(row.values) or "none"
    return UserError(
        f"{row.where}: {detail}. The fields are: {fields}. Choose with --text-field, --title-field and --id-field."
    )


def _document(values: Mapping[str, object], fields: Fields, text_field: str) -> Document:
    there = tuple(values)
    id_field = fields.id or _first_of(fields.usual_ids, there)
    title_field = fields.title or _first_of(fields.usual_titles, there)
    identity = "" if id_field is None else _id(values.get(id_field))
    title = "" if title_field is None or title_field == text_field else _title(values.get(title_field))
    text = _text(values.get(text_field))
    metadata = _metadata(values, {id_field, title_field, text_field})
    if not all(map(is_utf8, (identity, title, text, *metadata, *metadata.values()))):
        raise _FaultError("invalid_utf8")
    return Document(identity or content_id(title, text), text, title, metadata)


@lru_cache(maxsize=256)
def _first_of(names: tuple[str, ...], there: tuple[str, ...]) -> str | None:
    by_lower = {field.lower(): field for field in reversed(there)}
    return next((by_lower[name] for name in names if name in by_lower), None)


def _text(value: object) -> str:
    text = _unpacked(value)
    if text is None or (isinstance(text, str) and not text.strip()):
        raise _FaultError("missing_text")
    if not isinstance(text, str):
        raise _FaultError("not_text")
    return text


def _id(value: object) -> str:
    if isinstance(value, bool):
        raise _FaultError("not_text")
    name = _title(value).strip()
    if not name:
        raise _FaultError("missing_id")
    return name


def _title(value: object) -> str:
    title = _scalar(value)
    if title is None and value is not None and not _is_nan(value):
        raise _FaultError("not_text")
    return title or ""


def _metadata(values: Mapping[str, object], used: set[str | None]) -> dict[str, str]:
    """The other fields with a single value, and those inside a field called metadata."""
    inner = values.get("metadata")
    nested = inner if isinstance(inner, Mapping) and "metadata" not in used else {}
    others = {**nested, **{name: value for name, value in values.items() if name not in used}}
    strings = {str(name): _scalar(value) for name, value in others.items()}
    return {name: value for name, value in strings.items() if value is not None}


def _scalar(value: object) -> str | None:
    """A single value as a string; None for missing values, lists and objects."""
    value = _unpacked(value)
    if value is None or isinstance(value, (list, tuple, set, Mapping)) or _is_nan(value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _unpacked(value: object) -> object:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise _FaultError("invalid_utf8") from None


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
