"""What all public benchmarks are read into, and the two contracts of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from constraintsuite.errors import UserError

Granularity = Literal["session", "turn"]
MetricValues = dict[str, float | None]
"""By name of the metric; None where it is not defined."""


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
    """One question, or claim."""

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
    """A benchmark file."""

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
