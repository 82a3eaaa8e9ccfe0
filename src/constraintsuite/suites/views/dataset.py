"""Figures about a pairwise suite, as in the NevIR paper: text lengths (its Table 1) and word differences (its Figure 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from statistics import fmean

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.tables import Column, Table


@dataclass(frozen=True, slots=True)
class TextLengths:
    """Mean lengths in words, split at white space; None if there is nothing to count."""

    pairs: int
    query: float | None
    opposite: float | None
    satisfying: float
    violating: float
    query_difference: float | None
    """Mean absolute difference in length between the two queries of a pair."""
    document_difference: float


@dataclass(frozen=True, slots=True)
class DatasetView:
    """The figures of a suite."""

    lengths: dict[str, TextLengths]
    """By split, and under `all`."""
    query_differences: dict[int, int]
    """The number of pairs by how many distinct words occur in only one of the two queries."""
    document_differences: dict[int, int]
    """The same for the two documents."""


def view_dataset(examples: Sequence[Example]) -> DatasetView:
    """The figures of some examples."""
    splits = {split: [e for e in examples if e.split == split] for split in dict.fromkeys(e.split for e in examples)}
    return DatasetView(
        {name: _lengths(part) for name, part in [*splits.items(), ("all", list(examples))]},
        _histogram((e.query, e.opposite) for e in examples if e.opposite is not None),
        _histogram((e.satisfying.text, e.violating.text) for e in examples),
    )


def length_table(found: DatasetView) -> Table:
    """Mean lengths in words, by split."""
    columns = (Column("split"), Column("pairs", "count"), *(Column(title, "number") for title in _LENGTHS))
    rows = tuple((name, *astuple(lengths)) for name, lengths in found.lengths.items())
    caption = "Mean lengths of main examples in words, and the mean of the absolute difference within a pair."
    return Table("lengths", caption, columns, rows)


def difference_table(found: DatasetView) -> Table:
    """How many pairs differ by how many words."""
    columns = (Column("words"), Column("queries", "count"), Column("documents", "count"))
    rows = tuple(
        (label, _between(found.query_differences, low, high), _between(found.document_differences, low, high))
        for label, low, high in _BINS
    )
    return Table(
        "differences", "Number of pairs by how many distinct words appear in only one of the two texts.", columns, rows
    )


_LENGTHS = (
    "query",
    "opposite",
    "satisfying document",
    "violating document",
    "queries differ by",
    "documents differ by",
)
_BINS = (("0", 0, 0), ("1", 1, 1), ("2 to 5", 2, 5), ("6 to 10", 6, 10), ("11 to 20", 11, 20), ("over 20", 21, 10**9))


def _lengths(examples: Sequence[Example]) -> TextLengths:
    queries = [(_words(e.query), _words(e.opposite)) for e in examples if e.opposite is not None]
    documents = [(_words(e.satisfying.text), _words(e.violating.text)) for e in examples]
    return TextLengths(
        len(examples),
        fmean(_words(e.query) for e in examples) if examples else None,
        fmean(opposite for _, opposite in queries) if queries else None,
        fmean(satisfying for satisfying, _ in documents),
        fmean(violating for _, violating in documents),
        fmean(abs(a - b) for a, b in queries) if queries else None,
        fmean(abs(a - b) for a, b in documents),
    )


def _words(text: str) -> int:
    return len(text.split())


def _histogram(pairs: Iterable[tuple[str, str]]) -> dict[int, int]:
    counts = Counter(len(set(a.split()) ^ set(b.split())) for a, b in pairs)
    return dict(sorted(counts.items()))


def _between(counts: dict[int, int], low: int, high: int) -> int:
    return sum(n for words, n in counts.items() if low <= words <= high)
