"""Rows of a benchmark file, checked one by one, each error with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.errors import UserError
from constraintsuite.memory.public.base import Haystack, HaystackDocument, HaystackPassage
from constraintsuite.store.jsonl import describe
from constraintsuite.suites.importers.base import WHOLE


class BenchmarkRecord(BaseModel):
    """A row of a benchmark; releases differ in fields that nobody scores, so unknown ones are let be."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BenchmarkRecord)


class BenchmarkRow(NamedTuple):
    """Where a row stands, as `file:line`, and what it holds."""

    where: str
    values: Mapping[str, Any]


def read_rows(path: Path, limit: int | None) -> Iterator[BenchmarkRow]:
    """The rows of a JSON array or of JSON lines, plain or gzip; none at all is a UserError."""
    if limit is not None and limit < 1:
        raise UserError(f"A limit of {limit} leaves no item: choose one of 1 or more.")
    count = 0
    for count, row in enumerate(islice(read_objects(path, WHOLE), limit), 1):  # noqa: B007 - asked for after the loop
        yield BenchmarkRow(row.where, row.values)
    if not count:
        raise UserError(f"{path}: holds no item.")


def checked(row: BenchmarkRow, kind: type[R]) -> R:
    """The row as a record; what does not fit is a UserError with its place."""
    try:
        return kind.model_validate(row.values)
    except ValidationError as error:
        missing = any(fault["type"] == "missing" and len(fault["loc"]) == 1 for fault in error.errors())
        fields = f" Its fields are {', '.join(row.values)}: is it a file of this benchmark?" if missing else ""
        raise UserError(f"{row.where}: {describe(error)}{fields}") from None


class SeenItemIds:
    """Item ids that were met, so that a second one of the same name is refused."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def add(self, identity: str, where: str) -> None:
        """A UserError if that id was there before."""
        first = self._places.setdefault(identity, where)
        if first != where:
            raise UserError(f"{where}: the id {identity!r} stands at {first} already. Ids must be unique.")


def merged(haystack: str, sources: Iterable[HaystackDocument]) -> Haystack:
    """A haystack in which a document that was given twice stands once; two that differ under one id are a UserError."""
    kept: dict[str, HaystackDocument] = {}
    for source in sources:
        if kept.setdefault(source.id, source).passages != source.passages:
            raise UserError(
                f"{haystack}: there are two different documents {source.id!r}. Read the questions one by one, each with its "
                "own documents, instead of pooled."
            )
    return Haystack(haystack, tuple(kept.values()))


def passages_of(document: str, texts: Iterable[str]) -> tuple[HaystackPassage, ...]:
    """A passage for each text that is not blank, numbered from 0; the numbers of blank ones are left out."""
    return tuple(
        HaystackPassage(f"{document}:{number}", f"{document}:{number}", text.strip())
        for number, text in enumerate(texts)
        if text.strip()
    )
