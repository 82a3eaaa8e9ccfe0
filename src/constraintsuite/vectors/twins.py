"""Documents with exactly the same text: one is kept, and the judgments of the others become its own.

Of equal texts the one with the smallest (key, id) is kept. Where the mode keeps positives (and documents of a run), a
positive comes first, then a document of the run. Neither the order of the source nor the size of the subset matters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from constraintsuite.records.text import Qrel
from constraintsuite.vectors.judged import JudgedQueries
from constraintsuite.vectors.survey import Positions, Survey

TextHashes = npt.NDArray[np.uint64]
"""(documents, 2): sixteen bytes that equal texts share."""


@dataclass(frozen=True, slots=True)
class DocumentTwin:
    """A document that was left out, as a line of `twins.jsonl`."""

    id: str
    kept: str
    """The document that stands for it."""
    row: int | None
    """Its row; None where that one was not chosen either, and only a judgment was moved."""


@dataclass(frozen=True)
class Twins:
    """Positions in the source, as arrays: of nine million documents, half may be twins."""

    left_out: Positions  # ascending
    kept: Positions  # by place in `left_out`: the one that stands for it

    def mask(self, documents: int) -> npt.NDArray[np.bool_]:
        """Which of all documents are kept."""
        kept = np.ones(documents, dtype=np.bool_)
        kept[self.left_out] = False
        return kept


def find_twins(hashes: TextHashes, survey: Survey, preferred: Sequence[Collection[str]] = ()) -> Twins:
    """Which documents give way to which; ids in an earlier collection of `preferred` are kept before all others."""
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))
    ordered = hashes[order]
    same = (ordered[1:] == ordered[:-1]).all(axis=1)
    del ordered
    shared = np.zeros(len(hashes), dtype=np.bool_)
    shared[1:] |= same
    shared[:-1] |= same
    positions = order[shared]
    text = np.cumsum(np.concatenate([[True], ~same]))[shared]
    ranks = _ranks(positions, survey)
    best = np.lexsort((ranks, _preference(positions, survey, preferred), text))
    positions, text = positions[best], text[best]
    first = np.concatenate([[True], text[1:] != text[:-1]]) if len(text) else np.zeros(0, dtype=np.bool_)
    kept = positions[first][np.cumsum(first) - 1] if len(text) else positions
    left_out = positions[~first]
    by_position = np.argsort(left_out)
    return Twins(left_out[by_position], kept[~first][by_position])


def _ranks(positions: Positions, survey: Survey) -> Positions:
    """The place of each position in the order of keys and ids."""
    ascending = np.sort(positions)
    ranks = np.empty(len(positions), dtype=np.int64)
    ranks[np.searchsorted(ascending, survey.in_order(ascending))] = np.arange(len(positions))
    return ranks[np.searchsorted(ascending, positions)]


def _preference(positions: Positions, survey: Survey, preferred: Sequence[Collection[str]]) -> npt.NDArray[np.uint8]:
    grades = np.full(len(positions), len(preferred), dtype=np.uint8)
    for grade, ids in reversed(list(enumerate(preferred))):
        places = np.array([survey.found[name] for name in ids if name in survey.found], dtype=np.int64)
        grades[np.isin(positions, places)] = grade
    return grades


def leave_out_twins(survey: Survey, twins: Twins) -> tuple[Survey, dict[str, str]]:
    """The corpus as if it held each text once; and of each wanted document that gave way, the id that stands for it."""
    mask = twins.mask(len(survey))
    positions = np.array(list(survey.found.values()), dtype=np.int64)
    given_way = ~mask[positions]
    positions[given_way] = twins.kept[np.searchsorted(twins.left_out, positions[given_way])]
    known = {position: name for name, position in survey.found.items()}
    unknown = set(positions.tolist()) - known.keys()
    if unknown:  # one more reading: a wanted document gave way to one of which nobody asked
        known |= {position: name for position, name in enumerate(survey.ids()) if position in unknown}
    kept = [known[position] for position in positions.tolist()]
    places = positions - np.searchsorted(twins.left_out, positions)  # if those that are left out are not counted
    ids: Callable[[], Iterable[str]] = lambda: compress(survey.ids(), mask)  # noqa: E731 - a field, not a function
    found = dict(zip(kept, places.tolist(), strict=True))
    names = {name: other for name, other in zip(survey.found, kept, strict=True) if other != name}
    return replace(survey, keys=survey.keys[mask], found=found, ids=ids), names


def rename(ids: Iterable[str], names: Mapping[str, str]) -> frozenset[str]:
    """The documents that stand for these."""
    return frozenset(names.get(name, name) for name in ids)


def move_judgments(judged: JudgedQueries, names: Mapping[str, str]) -> JudgedQueries:
    """The same judgments on the documents that are kept; where two fall together, the higher grade counts."""
    grades: dict[tuple[str, str], int] = {}
    for qrel in judged.qrels:
        couple = (qrel.query, names.get(qrel.document, qrel.document))
        grades[couple] = max(qrel.grade, grades.get(couple, qrel.grade))
    qrels = tuple(Qrel(*couple, grades[couple]) for couple in sorted(grades))
    return replace(judged, qrels=qrels, keep=rename(judged.keep, names))
