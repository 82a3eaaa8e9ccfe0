"""Which document of a part of a corpus holds which of some terms how often, in memory and as a file."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.store.files import atomic_writer

IntegerArray = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What BM25 has to know of a corpus, or of a part of it."""

    documents: int
    length: int
    """Terms of all documents together."""
    holding: Mapping[str, int]
    """How many documents hold a term, for each that is asked for and found."""

    @staticmethod
    def merged(parts: Iterable[CorpusStatistics]) -> CorpusStatistics:
        """The counts of all parts together."""
        documents, length, holding = 0, 0, Counter[str]()
        for part in parts:
            documents += part.documents
            length += part.length
            holding.update(part.holding)
        return CorpusStatistics(documents, length, dict(sorted(holding.items())))


@dataclass(frozen=True, eq=False, slots=True)
class Postings:
    """The documents of a part by what they hold of the terms that are asked for; a term is its place among these."""

    ids: Sequence[str]
    lengths: IntegerArray  # (documents,) all terms, also those that nobody asks for
    held: IntegerArray  # (documents,) how many postings each has
    terms: IntegerArray  # (postings,) document after document
    times: IntegerArray  # (postings,) how often the document holds the term

    def counts(self, asked: Sequence[str]) -> CorpusStatistics:
        """What is to be known of this part."""
        holding = np.bincount(self.terms, minlength=len(asked)).tolist()
        found = {term: number for term, number in zip(asked, holding, strict=True) if number}
        return CorpusStatistics(len(self.ids), int(self.lengths.sum()), found)


def collect_postings(documents: Iterable[tuple[str, Sequence[str]]], asked: Sequence[str]) -> Postings:
    """Of documents that are given by their ids and all their terms, with repetitions."""
    numbers = {term: number for number, term in enumerate(asked)}
    ids: list[str] = []
    lengths, held, terms, times = (array("i") for _ in range(4))
    for document, given in documents:
        counted = Counter(map(numbers.get, given))
        counted.pop(None, None)
        ids.append(document)
        lengths.append(len(given))
        held.append(len(counted))
        terms.extend(number for number in counted if number is not None)
        times.extend(counted.values())
    return Postings(ids, *(np.frombuffer(row, np.intc) for row in (lengths, held, terms, times)))


def write_postings(path: Path, postings: Postings) -> None:
    """Each row in as few bytes a number as will do."""
    ids = np.frombuffer(json.dumps(list(postings.ids)).encode(), np.uint8)
    rows = {name: getattr(postings, name) for name in _ROWS}
    small = {name: row.astype(np.min_scalar_type(int(row.max(initial=0)))) for name, row in rows.items()}
    with atomic_writer(path) as file:
        np.savez(file, ids=ids, **small)


def read_postings(path: Path) -> Postings:
    """What `write_postings` wrote."""
    with np.load(path, allow_pickle=False) as file:
        ids = json.loads(file["ids"].tobytes())
        return Postings(ids, *(file[name] for name in _ROWS))


_ROWS = ("lengths", "held", "terms", "times")
