"""The records that public benchmarks are read into, the checks of their rows, and the base of official scorers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import describe
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.memory.public.measures import MetricValues, ranking_values
from constraintsuite.suites.importers.base import WHOLE

Granularity = Literal["session", "turn"]
POOL = "all"


@dataclass(frozen=True, slots=True)
class HaystackPassage:
    """One text that can be found: a sentence, a paragraph, a session, a turn."""

    unit: str
    """Its id in a memory, which does not reveal what is gold."""
    name: str
    """Its name in the benchmark; unique in a haystack."""
    text: str


@dataclass(frozen=True, slots=True)
class HaystackDocument:
    """One document of a haystack."""

    id: str
    title: str
    """Other documents are linked to this one if they mention its title; empty if it has none."""
    passages: tuple[HaystackPassage, ...]
    headings: tuple[str, ...] = ()
    """Searched with each passage."""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Haystack:
    """The documents in which a question is searched."""

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
    """The gold exactly as in the file, where `gold` is a corrected version of it."""


@dataclass(frozen=True)
class BenchmarkFile:
    """A benchmark file as it was read: its items, the documents to search, and how answers are scored."""

    benchmark: str
    sha256: str
    items: tuple[BenchmarkItem, ...]
    haystacks: Mapping[str, Haystack]
    scorer: OfficialScorer
    notes: tuple[str, ...] = ()
    """Peculiarities of the file, one sentence each."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many items the official protocol leaves out, by reason."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of reading; a benchmark refuses those that do not apply to it."""

    limit: int | None = None
    """Read only this many items, from the beginning."""
    pooled: bool = False
    """One haystack of all documents instead of one for each question."""
    granularity: Granularity | None = None
    """Whether a passage of a dialogue is a session or a turn."""
    corpus: Path | None = None
    """The documents, where the benchmark's own file has none."""

    def refuse(self, benchmark: str, *names: Literal["pooled", "granularity", "corpus"]) -> None:
        """Refuse these options if they were chosen."""
        for name in names:
            if getattr(self, name):
                raise UserError(f"{benchmark} has no option {name!r}: leave it out.")


BenchmarkReader = Callable[[Path, ReadOptions], BenchmarkFile]
"""Reads every item of a benchmark file as it was released.

Raises UserError with the place of an item that does not fit.
"""


class OfficialScorer(ABC):
    """Scores rankings and answers as the benchmark's authors do."""

    cutoffs: ClassVar[Sequence[int]] = (1, 2, 5, 10, 20)

    def score(self, item: BenchmarkItem, ranking: Sequence[str], budget: int) -> MetricValues:
        """Score the names that a mode returned, best first, at the official cut-offs below the budget and at the budget."""
        cutoffs = self.cutoffs_within(budget)
        values = ranking_values(self.names(item.gold), self.names(ranking), cutoffs)
        for k in cutoffs:
            values |= self.at_cutoff(item, ranking, k, budget)
        return values

    def cutoffs_within(self, budget: int) -> list[int]:
        """Return the official cut-offs below a budget, and the budget itself."""
        return sorted({k for k in self.cutoffs if k < budget} | {budget})

    def names(self, names: Sequence[str]) -> Sequence[str]:
        """Bring names of passages into the form in which they are compared."""
        return names

    @abstractmethod
    def at_cutoff(self, item: BenchmarkItem, ranking: Sequence[str], k: int, budget: int) -> MetricValues:
        """Score the first `k` of a ranking by the benchmark's own measures."""

    @abstractmethod
    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Score an answer, alone and together with the ranking; a missing answer (None) is wrong."""


class BenchmarkRecord(BaseModel):
    """A row of a benchmark. Releases differ in fields that nobody scores, so unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BenchmarkRecord)


def refuse_repeated(seen: dict[str, str], identity: str, where: str) -> None:
    """Remember where an id is; refuse one that was seen before."""
    first = seen.setdefault(identity, where)
    if first != where:
        raise UserError(f"{where}: the id {identity!r} is also at {first}. Ids must be unique.")


def read_records(
    path: Path, limit: int | None, kind: type[R], identity: Callable[[R], str] | None = None
) -> Iterator[tuple[str, R]]:
    """Yield the place, as `file:line`, and the record of each row of a JSON array or of JSON lines, plain or gzip.

    Raises UserError for an empty file, a row that does not fit, and two records of the same `identity`.
    """
    if limit is not None and limit < 1:
        raise UserError(f"A limit of {limit} leaves no item: choose one of 1 or more.")
    seen: dict[str, str] = {}
    empty = True
    for row in islice(read_objects(path, WHOLE), limit):
        empty = False
        record = checked(row.where, row.values, kind)
        if identity is not None:
            refuse_repeated(seen, identity(record), row.where)
        yield row.where, record
    if empty:
        raise UserError(f"{path}: holds no item.")


def checked(where: str, values: Mapping[str, Any], kind: type[R]) -> R:
    """Make a record of the values of a row. Raises UserError that names the place if they do not fit."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        missing = any(fault["type"] == "missing" and len(fault["loc"]) == 1 for fault in error.errors())
        fields = f" Its fields are {', '.join(values)}: is it a file of this benchmark?" if missing else ""
        raise UserError(f"{where}: {describe(error)}{fields}") from None


def merged(haystack: str, sources: Iterable[HaystackDocument]) -> Haystack:
    """Make a haystack of documents, equal ones once. Raises UserError if two different documents have one id."""
    kept: dict[str, HaystackDocument] = {}
    for source in sources:
        if kept.setdefault(source.id, source).passages != source.passages:
            raise UserError(
                f"{haystack}: there are two different documents {source.id!r}. Read the questions one by one, each with its "
                "own documents, instead of pooled."
            )
    return Haystack(haystack, tuple(kept.values()))


def passages_of(document: str, texts: Iterable[str]) -> tuple[HaystackPassage, ...]:
    """Make a passage of each text that is not blank, numbered from 0 over all texts."""
    return tuple(
        HaystackPassage(f"{document}:{number}", f"{document}:{number}", text.strip())
        for number, text in enumerate(texts)
        if text.strip()
    )


def pool(reading: BenchmarkFile) -> BenchmarkFile:
    """Let all questions search all documents together; each question keeps its own gold."""
    sources = (source for haystack in reading.haystacks.values() for source in haystack.sources)
    return replace(
        reading,
        items=tuple(replace(item, haystack=POOL) for item in reading.items),
        haystacks={POOL: merged(POOL, sources)},
    )


class BenchmarkRow(NamedTuple):
    """What one row of a benchmark file gives."""

    haystack: Haystack | None
    items: Sequence[BenchmarkItem] = ()
    notes: Sequence[str] = ()
    skipped: str = ""
    """Why the official protocol leaves the row out; empty if it does not."""


def assemble(
    benchmark: str, path: Path, options: ReadOptions, scorer: OfficialScorer, rows: Iterable[BenchmarkRow]
) -> BenchmarkFile:
    """Make a benchmark file of its rows; with `options.pooled`, over one haystack. A file without a question is refused."""
    read = list(rows)
    items = tuple(item for row in read for item in row.items)
    skipped = Counter(row.skipped for row in read if row.skipped)
    if not items:
        raise UserError(f"{path}: no question is left to score. Skipped, as in the official protocol: {dict(skipped)}.")
    haystacks = {row.haystack.id: row.haystack for row in read if row.haystack is not None}
    notes = tuple(note for row in read for note in row.notes)
    reading = BenchmarkFile(benchmark, sha256_of(path), items, haystacks, scorer, notes, skipped)
    return pool(reading) if options.pooled else reading
