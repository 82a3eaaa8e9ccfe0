"""Datasets of the ir_datasets catalogue, by id: `irds:msmarco-passage/train`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import STRICT, BadRows, Source, SourceSettings
from constraintsuite.corpora.fields import Fields, FileRecord, document_fields, read_documents, read_query_rows

try:
    import ir_datasets
except ImportError:
    raise MissingExtraError("irds", "Reading ir_datasets collections") from None

PREFIX = "irds:"


class IrdsSource(Source):
    """The documents, queries and judgments of an ir_datasets id; missing files are downloaded."""

    def __init__(self, settings: SourceSettings) -> None:
        self.name = settings.source.removeprefix(PREFIX)
        self._fields = document_fields(settings)
        self._dataset = _load(self.name)

    def fingerprint(self) -> str:
        """SHA-256 of the id and of the catalogue's record of each part, or of the file of a part without a record."""
        parts = [_identity(self._dataset, part) for part in ("docs", "queries", "qrels")]
        return sha256_text("irds", self.name, ir_datasets.__version__, repr(self._fields), *parts)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """Every document; if it has no field of text, its default text."""
        return read_documents(self._document_rows(), self._fields, bad)

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        """Every query with its default text, which for TREC topics is the title."""
        return read_query_rows(self._query_rows(), bad)

    def qrels(self, bad: BadRows = STRICT) -> Iterator[Qrel]:
        """Every judgment of the dataset."""
        with _reading(self.name):
            for qrel in self._dataset.qrels_iter() if self._dataset.has_qrels() else ():
                yield Qrel(qrel.query_id, qrel.doc_id, int(qrel.relevance))

    def size(self) -> int | None:
        """The number of documents in the catalogue, if it is known."""
        known = self._dataset.docs_metadata() if self._dataset.has_docs() else None
        return None if not known or known.get("count") is None else int(known["count"])

    def _document_rows(self) -> Iterator[FileRecord]:
        if not self._dataset.has_docs():
            raise UserError(f"{PREFIX}{self.name}: this dataset has no documents.")
        with _reading(self.name):
            as_is = _has_text(self._dataset.docs_cls(), self._fields)
            for number, document in enumerate(self._dataset.docs_iter(), 1):
                values = document._asdict() if as_is else {"id": document.doc_id, "text": document.default_text()}
                texts = {name: value for name, value in values.items() if not isinstance(value, bytes)}
                yield FileRecord(f"{PREFIX}{self.name}:{number}", texts)

    def _query_rows(self) -> Iterator[FileRecord]:
        with _reading(self.name):
            for number, query in enumerate(self._dataset.queries_iter() if self._dataset.has_queries() else (), 1):
                text = query.default_text() if hasattr(query, "default_text") else query.text
                yield FileRecord(f"{PREFIX}{self.name}:{number}", {"id": query.query_id, "text": text})


def _load(name: str) -> ir_datasets.Dataset:
    try:
        return ir_datasets.load(name)
    except KeyError:
        near = get_close_matches(name, ir_datasets.registry, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else "The catalogue is at https://ir-datasets.com."
        raise UserError(f"{PREFIX}{name}: ir_datasets {ir_datasets.__version__} has no such dataset. {hint}") from None


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn a failed download, or one that must be made by hand, into a UserError."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = str(error.args[0] if error.args else error)[:300]
        raise UserError(f"{PREFIX}{name}: ir_datasets could not read it: {reason}. See its messages above.") from None


def _has_text(kind: type, fields: Fields) -> bool:
    """Whether a single field is the text: the chosen one, or a usual one that holds a string."""
    types = getattr(kind, "__annotations__", {})
    usual = any(types.get(name) in (str, "str") for name in fields.usual_texts)
    return fields.text is not None or usual or not hasattr(kind, "default_text")


def _identity(dataset: ir_datasets.Dataset, part: str) -> str:
    if not getattr(dataset, f"has_{part}")():
        return ""
    known = getattr(dataset, f"{part}_metadata")()
    if known:
        return json.dumps(known, sort_keys=True)
    path = getattr(dataset, f"{part}_path", None)  # a dataset that the user registered
    with _reading(part):
        return sha256_of(path()) if path is not None else ""
