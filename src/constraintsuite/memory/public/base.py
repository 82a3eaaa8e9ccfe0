"""What all public benchmarks are read into, the contracts of this folder, and how rows of a file are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import describe
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.importers.base import WHOLE

Granularity = Literal["session", "turn"]
MetricValues = dict[str, float | None]
"""By name of the metric; None where it is not defined."""
POOL = "all"


@dataclass(frozen=True, slots=True)
class HaystackPassage:
    """One text that can be found: a sentence, a paragraph, a session, a turn."""

    unit: str
    """Its id in a memory, which says nothing about what is gold."""
    name: str
    """What the benchmark calls it; unique in a haystack."""
    text: str


@dataclass(frozen=True, slots=True)
class HaystackDocument:
    """One document of a haystack."""

    id: str
    title: str
    """What the document is about, so that other documents can mention it; empty if it has no title."""
    passages: tuple[HaystackPassage, ...]
    headings: tuple[str, ...] = ()
    """Searched with each passage."""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Haystack:
    """What questions are asked of."""

    id: str
    sources: tuple[HaystackDocument, ...]


@dataclass(frozen=True, slots=True)
class BenchmarkItem:
    """One question or claim, with the passages that must be found for it."""

    id: str
    question: str
    haystack: str
    gold: tuple[str, ...]
    """Names of the passages that must be found; one that the haystack does not hold is never found."""
    groups: Mapping[str, str]
    cluster: str
    """Items of one cluster are not independent of each other."""
    answers: tuple[str, ...] = ()
    """Any of them is right."""
    as_filed: tuple[str, ...] = ()
    """The gold as it stands in the file, where `gold` had to be mended."""


@dataclass(frozen=True)
class BenchmarkFile:
    """A benchmark file as it was read: its items, what they are asked of, and how they are scored."""

    benchmark: str
    sha256: str
    items: tuple[BenchmarkItem, ...]
    haystacks: Mapping[str, Haystack]
    scorer: OfficialScorer
    notes: tuple[str, ...] = ()
    """What is odd about the file, each in a line."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many items the official protocol leaves out, by reason."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user can choose; a benchmark refuses what it has no use for."""

    limit: int | None = None
    """Only so many items, from the beginning."""
    pooled: bool = False
    """One haystack of all documents instead of one for each question."""
    granularity: Granularity | None = None
    """What a passage of a dialogue is."""
    corpus: Path | None = None
    """The documents, where the benchmark's own file has none."""

    def refuse(self, benchmark: str, *names: Literal["pooled", "granularity", "corpus"]) -> None:
        """A UserError if one of these was chosen."""
        for name in names:
            if getattr(self, name):
                raise UserError(f"{benchmark} has no option {name!r}: leave it out.")


class BenchmarkReader(Protocol):
    """Reads a benchmark as it was released."""

    def __call__(self, path: Path, options: ReadOptions) -> BenchmarkFile:
        """Every item of the file; one that does not fit is a UserError with its place."""


class OfficialScorer(Protocol):
    """Scores rankings and answers as the benchmark's authors do."""

    def score(self, item: BenchmarkItem, ranking: Sequence[str], budget: int) -> MetricValues:
        """Of the names that a mode returned, best first and at most `budget`."""

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Of an answer, and of answer and ranking together; an answer that is missing (None) counts as wrong."""


class BenchmarkRecord(BaseModel):
    """A row of a benchmark; releases differ in fields that nobody scores, so unknown ones are let be."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BenchmarkRecord)


class SeenItemIds:
    """Item ids that were met, so that a second one of the same name is refused."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def add(self, identity: str, where: str) -> None:
        """A UserError if that id was there before."""
        first = self._places.setdefault(identity, where)
        if first != where:
            raise UserError(f"{where}: the id {identity!r} stands at {first} already. Ids must be unique.")


def read_records(
    path: Path, limit: int | None, kind: type[R], identity: Callable[[R], str] | None = None
) -> Iterator[tuple[str, R]]:
    """The place, as `file:line`, and the record of each row of a JSON array or of JSON lines, plain or gzip.

    No row at all, a row that does not fit, and two records of the same `identity` are UserErrors.
    """
    if limit is not None and limit < 1:
        raise UserError(f"A limit of {limit} leaves no item: choose one of 1 or more.")
    ids = SeenItemIds()
    count = 0
    for count, row in enumerate(islice(read_objects(path, WHOLE), limit), 1):  # noqa: B007 - asked for after the loop
        record = checked(row.where, row.values, kind)
        if identity is not None:
            ids.add(identity(record), row.where)
        yield row.where, record
    if not count:
        raise UserError(f"{path}: holds no item.")


def checked(where: str, values: Mapping[str, Any], kind: type[R]) -> R:
    """The values of a row as a record; what does not fit is a UserError with its place."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        missing = any(fault["type"] == "missing" and len(fault["loc"]) == 1 for fault in error.errors())
        fields = f" Its fields are {', '.join(values)}: is it a file of this benchmark?" if missing else ""
        raise UserError(f"{where}: {describe(error)}{fields}") from None


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


def pool(reading: BenchmarkFile) -> BenchmarkFile:
    """The same questions over all documents together; each question keeps its own gold."""
    sources = (source for haystack in reading.haystacks.values() for source in haystack.sources)
    return replace(
        reading,
        items=tuple(replace(item, haystack=POOL) for item in reading.items),
        haystacks={POOL: merged(POOL, sources)},
    )
