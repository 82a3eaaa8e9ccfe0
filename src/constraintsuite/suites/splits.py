"""Splits without leaks: near-duplicates and documents that share a name stay in one split.

A name is asked for in one split only. Closed values (French, drama) and attributes (parking) are asked for in every split, of
documents that no other split has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.statistics.union_find import UnionFind
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.queries.records import relation_of
from constraintsuite.suites.recipe import SplitSettings

SMALL_COLLECTION = 60
"""Smaller collections are all test: nearly every pair would be in two splits."""
SMALL_PART = 40
"""This many documents may be tied together in a collection of any size."""


class Splits(Mapping[str, Split]):
    """The split of each document by id, in one byte per document."""

    def __init__(self, ids: Sequence[str], codes: npt.NDArray[np.uint8]) -> None:
        """`ids` are sorted; `codes` are indices of SPLITS."""
        self._ids, self.codes = ids, codes

    def __getitem__(self, id: str) -> Split:
        number = bisect_left(self._ids, id)
        if number == len(self._ids) or self._ids[number] != id:
            raise KeyError(id)
        return SPLITS[int(self.codes[number])]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def entries(self) -> Iterator[tuple[str, Split]]:
        """All documents with their splits, faster than looking up each."""
        return ((id, SPLITS[code]) for id, code in zip(self._ids, self.codes, strict=True))

    def count(self, numbers: DocumentNumbers) -> Counter[Split]:
        """How many of these documents are in each split."""
        counts = np.bincount(self.codes[numbers], minlength=len(SPLITS)).tolist()
        return Counter(dict(zip(SPLITS, counts, strict=True)))


def split_documents(
    ids: Sequence[str],
    clusters: Iterable[tuple[int, int]],
    ties: Iterable[Iterable[int]],
    uses: Iterable[DocumentNumbers],
    settings: SplitSettings,
    seed: int,
) -> Splits:
    """The split of each document; `ids` are sorted, and documents are numbered by their place among them.

    `ties` are groups of documents that belong together, the most important first. A group is kept together unless the resulting
    part would have more than `max_component` of the collection. `uses` has the documents of each kind of example that is
    expected, once for each such example: every kind is divided by the shares of the splits as evenly as the parts allow.
    """
    if len(ids) < SMALL_COLLECTION:
        return Splits(ids, np.full(len(ids), SPLITS.index("test"), dtype=np.uint8))
    parts = UnionFind(len(ids))
    for pair in clusters:
        parts.join(pair)
    for group in ties:
        parts.join(group, max(SMALL_PART, settings.max_component * len(ids)))
    firsts = np.frombuffer(parts.firsts(), dtype=np.uint32)
    return Splits(ids, _deal(ids, firsts, [firsts[documents] for documents in uses], settings, seed))


def split_names(names: Mapping[str, DocumentNumbers], documents: Splits, settings: SplitSettings) -> dict[str, Split]:
    """The split of each name: the split of its documents or, if they differ, the one that has the fewest of the relation so far."""
    shares = _shares(settings)
    given: dict[str, Counter[Split]] = defaultdict(Counter)
    result: dict[str, Split] = {}
    counts = {y: documents.count(numbers) for y, numbers in names.items()}
    totals: Counter[str] = Counter()
    for y, found in counts.items():
        totals[relation_of(y)] += found.total()
    named: dict[str, Split] = {}
    for y in sorted(counts, key=lambda y: (-counts[y].total(), y)):
        relation, name = relation_of(y), y.partition("\x1f")[2].lower()
        if name in named:  # who directs one film and stars in another is one Y
            result[y] = named[name]
            continue
        able = [split for split in shares if counts[y][split]] or list(shares)
        filled = {split: given[relation][split] / (shares[split] * max(1, totals[relation])) for split in able}
        choice = min(able, key=lambda split: (filled[split], -counts[y][split]))
        given[relation][choice] += counts[y].total()
        result[y] = named[name] = choice
    return result


@dataclass(frozen=True)
class AskedSplits:
    """In which splits each Y is asked for: a name in its own, everything else in all."""

    documents: Splits
    names: Mapping[str, Split]

    def deal(self, y: str, affirming: DocumentNumbers, *others: DocumentNumbers) -> Iterator[DealtDocuments]:
        """Each split that asks for a Y, with the documents that are in it; a split in which no document affirms Y is left out."""
        for split in (self.names[y],) if y in self.names else SPLITS:
            own = [numbers[self.documents.codes[numbers] == SPLITS.index(split)] for numbers in (affirming, *others)]
            if len(own[0]):
                yield split, own


DealtDocuments = tuple[Split, list[DocumentNumbers]]


def _deal(
    ids: Sequence[str],
    firsts: DocumentNumbers,
    uses: Sequence[DocumentNumbers],
    settings: SplitSettings,
    seed: int,
) -> npt.NDArray[np.uint8]:
    """Deal the parts, those with the most uses first, each to the split that lacks most of the kinds of examples it gives.

    `uses` has the first documents of parts. This is iterative stratification for parts with several labels (Sechidis et al.
    2011), with the labels of a part weighed by what share of all their uses it has.
    """
    shares = _shares(settings)
    kinds = _uses_by_part(uses)
    weights = np.bincount(np.concatenate([np.zeros(0, np.uint32), *uses]), minlength=len(ids))
    filled = {split: np.zeros(len(uses)) for split in shares}
    counts = dict.fromkeys(shares, 0.0)
    parts = np.flatnonzero(firsts == np.arange(len(ids), dtype=np.uint32)).astype(np.uint32)
    sizes = np.bincount(firsts, minlength=len(ids))
    chance = np.fromiter((stable_hash(str(seed), ids[int(part)]) for part in parts), dtype=np.uint64, count=len(parts))
    dealt = np.zeros(len(ids), dtype=np.uint8)
    for part in parts[np.lexsort((chance, -weights[parts]))].tolist():
        labels, given = kinds.get(part, _NONE)
        lack = {
            split: (round(float(given @ filled[split][labels]) / share, 9), counts[split] / share)
            for split, share in shares.items()
        }
        choice = min(shares, key=lambda split: lack[split])
        filled[choice][labels] += given
        counts[choice] += int(sizes[part])
        dealt[part] = SPLITS.index(choice)
    return dealt[firsts]


_NONE = (np.zeros(0, dtype=np.int64), np.zeros(0))


def _uses_by_part(uses: Sequence[DocumentNumbers]) -> dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """For each part that is used, the kinds of examples that it gives, and its share of each kind."""
    found: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for kind, parts in enumerate(uses):
        used, counts = np.unique(parts, return_counts=True)
        for part, count in zip(used.tolist(), counts.tolist(), strict=True):
            found[part].append((kind, count / len(parts)))
    return {
        part: (np.array([kind for kind, _ in pairs]), np.array([share for _, share in pairs]))
        for part, pairs in found.items()
    }


def wanted_splits(settings: SplitSettings) -> tuple[Split, ...]:
    """The splits that are not meant to be empty."""
    return tuple(_shares(settings))


def _shares(settings: SplitSettings) -> dict[Split, float]:
    """The share of each split that is not empty; together they are 1."""
    weights: dict[Split, float] = {"train": settings.train, "dev": settings.dev, "test": settings.test}
    total = sum(weights.values())
    return {split: weight / total for split, weight in weights.items() if weight > 0}
