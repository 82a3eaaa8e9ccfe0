"""The interface of a source of text: it gives documents, and queries and judgments if it has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Document, Qrel, Query

Format = Literal["auto", "jsonl", "tsv", "csv", "parquet", "beir", "trec", "folder", "irds", "hub", "sample"]

Reason = str
"""Why a row cannot be used: a key of `REASONS`."""
REASONS: Final[Mapping[Reason, str]] = {
    "invalid_utf8": "it holds characters that are not valid UTF-8",
    "invalid_json": "it is not a JSON object",
    "missing_text": "its text is missing or empty",
    "missing_id": "its id is missing or empty",
    "not_text": "its id, title or text is not a text",
    "wrong_columns": "it has another number of columns than expected",
    "broken_quotes": "a quoted field is not closed, or continues after its closing quote",
    "broken_markup": "a tag is opened and not closed, or closed and not opened",
    "bad_grade": "its grade is not an integer",
}

_ROWS_KEPT: Final = 1000
_ROW_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read."""

    where: str
    """File and line of the row."""
    reason: Reason
    row: str
    """The first 500 characters of the row."""


@dataclass
class BadRows:
    """What happens to broken rows: the first one raises a UserError, or, with `skip`, all are left out and counted."""

    skip: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    """How many rows were left out for each reason."""
    rows: list[BadRow] = field(default_factory=list)
    """The first 1,000 rows that were left out."""
    advice: str = "Correct it, or pass --skip-bad-rows to leave such rows out."
    """The end of the error message."""

    def add(self, where: str, reason: Reason, row: str) -> None:
        """Leave the row at `where` out, or refuse it with a UserError."""
        if not self.skip:
            raise UserError(f"{where}: this row cannot be used: {REASONS[reason]}. {self.advice}")
        self.counts[reason] += 1
        if len(self.rows) < _ROWS_KEPT:
            shown = row[:_ROW_CHARACTERS].encode("utf-8", "backslashreplace").decode()
            self.rows.append(BadRow(where, reason, shown[:_ROW_CHARACTERS]))


STRICT: Final = BadRows()
"""Refuses every broken row. It has no state, so all callers share it."""
STRICT_ALWAYS: Final = BadRows(advice="Correct it.")
"""The same, for commands that cannot skip broken rows."""


class NoDocumentsError(UserError):
    """A source that can be read has no documents."""


class Source(Protocol):
    """A source of text; it gives documents one by one, never all in memory, and always in the same order."""

    name: str

    @property
    def licence(self) -> str:
        """The licence of the texts; empty if it is not known."""
        return ""

    def fingerprint(self) -> str:
        """SHA-256 of everything that decides the content, except whether broken rows are skipped."""
        ...

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """Every document; broken rows go to `bad`."""
        ...

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        """Every query, if the source has queries."""
        return iter(())

    def qrels(self, bad: BadRows = STRICT) -> Iterator[Qrel]:
        """Every judgment, if the source has judgments."""
        return iter(())

    def size(self) -> int | None:
        """The number of documents, if it is known without reading them."""
        return None


class SourceSettings(StrictModel):
    """Which source is read, and how."""

    source: str = Field(
        min_length=1,
        description="A file or folder, also by URL (`s3://…`), `irds:ID`, `hf:OWNER/NAME[:CONFIG]`, or `sample` (bundled).",
    )
    format: Format = Field("auto", description="What the source is; `auto` decides from its name and content.")
    id_field: str | None = Field(
        None, min_length=1, description="Field of the id; else id, _id, docid, doc_id, docno or pid."
    )
    title_field: str | None = Field(None, min_length=1, description="Field of the title; else title, name or heading.")
    text_field: str | None = Field(
        None, min_length=1, description="Field of the text; else text, contents, body, passage or content."
    )
    queries: str | None = Field(None, description="File of queries: TSV, CSV, JSONL or TREC topics.")
    qrels: str | None = Field(None, description="File of judgments: TREC qrels, or TSV in the format of BEIR.")
    passage_words: int = Field(
        90, ge=1, description="Maximum number of words in a passage cut from a Markdown or text file."
    )
    limit: int | None = Field(None, ge=1, description="Read only this many documents.")
    skip_bad_rows: bool = Field(False, description="Leave broken rows out and count them, instead of stopping.")
    split: str | None = Field(
        None, min_length=1, description="Split of a Hugging Face dataset, or qrels file of a BEIR folder."
    )
