"""Lists and triples that somebody else wrote, as JSON lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.tuning.data.records import DataContext, ListsBuilder, Prepared
from constraintsuite.tuning.data.settings import ListsData, TriplesData


@dataclass(frozen=True, slots=True)
class ScoredList:
    """A line of a file of lists."""

    query: str
    texts: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Triple:
    """A line of a file of triples."""

    query: str
    positive: str
    negative: str


def read_lists(settings: ListsData, bench: DataContext) -> Prepared:
    """Every list of the file."""
    builder = ListsBuilder(bench.exclusion)
    for number, row in enumerate(read_jsonl(settings.path, ScoredList), 1):
        if len(row.texts) != len(row.scores) or len(row.texts) < 2:
            raise UserError(
                f"{settings.path}: list {number} has {len(row.texts)} texts and {len(row.scores)} scores; "
                "it needs at least two texts, and a score for each."
            )
        if not all(map(math.isfinite, row.scores)):
            raise UserError(f"{settings.path}: list {number} has a score that is no finite number.")
        builder.add(row.query, row.texts, row.scores)
    return _some(builder, settings.path)


def read_triples(settings: TriplesData, bench: DataContext) -> Prepared:
    """Every triple of the file, as a list of two."""
    builder = ListsBuilder(bench.exclusion)
    for row in read_jsonl(settings.path, Triple):
        builder.add(row.query, (row.positive, row.negative), (1.0, 0.0))
    return _some(builder, settings.path)


def _some(builder: ListsBuilder, path: Path) -> Prepared:
    prepared = builder.done()
    if not prepared.lists.rows:
        raise UserError(f"{path}: nothing in it can be trained on.")
    return prepared
