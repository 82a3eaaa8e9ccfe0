"""The one contract of this folder: a source gives documents, and where it has them queries and judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from pydantic import BaseModel, Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel, Query

Format = Literal["auto", "jsonl", "tsv", "csv", "parquet", "beir", "trec", "folder", "irds", "hub", "sample"]

Reason = Literal[
    "invalid_utf8",
    "invalid_json",
    "missing_text",
    "missing_id",
    "not_text",
    "wrong_columns",
    "broken_quotes",
    "broken_markup",
    "bad_grade",
]
REASONS: Final[Mapping[Reason, str]] = {
    "invalid_utf8": "it holds characters that are not valid UTF-8",
    "invalid_json": "it is not a JSON object",
    "missing_text": "its text is missing or empty",
    "missing_id": "its id is missing or empty",
    "not_text": "its id, title or text is not a text",
    "wrong_columns": "it has another number of columns than expected",
    "broken_quotes": "a quoted field is not closed, or goes on after its closing quote",
    "broken_markup": "a tag is opened and not closed, or closed and not opened",
    "bad_grade": "its grade is not a whole number",
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
    """The row as it stands, cut to 500 characters."""


@dataclass
class BadRows:
    """What becomes of broken rows: an error at the first one, or, with `skip`, a count of each reason."""

    skip: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    """How many rows were left out for each reason; always complete."""
    rows: list[BadRow] = field(default_factory=list)
    """The first 1,000 of them."""

    def add(self, where: str, reason: Reason, row: str) -> None:
        """Leave the row at `where` out, or refuse it with a UserError."""
        if not self.skip:
            raise UserError(
                f"{where}: this row cannot be used: {REASONS[reason]}. "
                "Correct it, or pass --skip-bad-rows to leave such rows out."
            )
        self.counts[reason] += 1
        if len(self.rows) < _ROWS_KEPT:
            shown = row[:_ROW_CHARACTERS].encode("utf-8", "backslashreplace").decode()
            self.rows.append(BadRow(where, reason, shown[:_ROW_CHARACTERS]))


STRICT: Final = BadRows()
"""Lets no broken row pass; keeps nothing, so all may share it."""


class NoDocumentsError(UserError):
    """A source can be read but holds no document."""


class Source(Protocol):
    """Gives documents one after the other, never all in memory, in the same order each time."""

    name: str

    @property
    def licence(self) -> str:
        """The licence of the texts, empty where it is not known."""
        return ""

    def fingerprint(self) -> str:
        """SHA-256 of what decides the content.

        Whether bad rows are skipped is not part of it: a source that can be read without skipping has none to skip.
        """
        ...

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """Every document; rows that are none go to `bad`."""
        ...

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        """Every query; none where the source has texts only."""
        return iter(())

    def qrels(self, bad: BadRows = STRICT) -> Iterator[Qrel]:
        """Every judgment; none where the source has texts only."""
        return iter(())

    def size(self) -> int | None:
        """How many documents there are, where that is known without reading them."""
        return None


class SourceSettings(BaseModel, frozen=True, extra="forbid"):
    """Where text comes from, and how it is read."""

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
