"""Counts what a source holds, in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import BadRow, BadRows, NoDocumentsError, Source

_FAULTS_SHOWN = 5
_STEP = 1000


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Words per document, split at white space."""

    mean: float
    p10: int
    """At least a tenth of the documents have at most this many words."""
    p90: int


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """The counts of a source, its first documents, and its faults."""

    name: str
    licence: str
    """Empty if it is not known."""
    fingerprint: str
    documents: int
    words: WordCounts | None
    queries: int
    qrels: int
    first: tuple[Document, ...]
    faults: dict[str, int]
    """Rows that cannot be used, by reason."""
    first_faults: tuple[BadRow, ...]


def summarise(source: Source, first: int, advance: Callable[[int], None] = lambda items: None) -> SourceSummary:
    """Read all of the source; broken rows are counted and do not raise errors.

    `advance` is called with numbers of documents read.
    """
    bad = BadRows(skip=True)
    lengths: Counter[int] = Counter()
    shown: list[Document] = []
    documents = 0
    try:
        for document in source.documents(bad):
            documents += 1
            lengths[len(document.text.split())] += 1
            if documents <= first:
                shown.append(document)
            if documents % _STEP == 0:
                advance(_STEP)
    except NoDocumentsError:
        if not bad.rows:
            raise
    return SourceSummary(
        name=source.name,
        licence=source.licence,
        fingerprint=source.fingerprint(),
        documents=documents,
        words=_word_counts(lengths) if documents else None,
        queries=sum(1 for _ in source.queries(bad)),
        qrels=sum(1 for _ in source.qrels(bad)),
        first=tuple(shown),
        faults=dict(sorted(bad.counts.items())),
        first_faults=tuple(bad.rows[:_FAULTS_SHOWN]),
    )


def _word_counts(lengths: Counter[int]) -> WordCounts:
    total = sum(words * times for words, times in lengths.items())
    return WordCounts(total / lengths.total(), _percentile(lengths, 10), _percentile(lengths, 90))


def _percentile(lengths: Counter[int], percent: int) -> int:
    """The smallest length that at least this percentage of the documents do not exceed."""
    below = 0
    for words, times in sorted(lengths.items()):
        below += times
        if below * 100 >= percent * lengths.total():
            return words
    raise ValueError("no lengths")
