"""Splits without leaks: near-duplicates and documents that share a Y stay in one split; then each Y gets a split."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.statistics.union_find import UnionFind
from constraintsuite.suites.corpus.corpus import DocumentNumbers
from constraintsuite.suites.queries.relations import relation_of
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
    settings: SplitSettings,
    seed: int,
) -> Splits:
    """The split of each document; `ids` are sorted, and documents are numbered by their place among them.

    `ties` are groups of documents that share something, the most important first. A group is kept together unless the
    resulting part would have more than `max_component` of the collection.
    """
    if len(ids) < SMALL_COLLECTION:
        return Splits(ids, np.full(len(ids), SPLITS.index("test"), dtype=np.uint8))
    parts = UnionFind(len(ids))
    for pair in clusters:
        parts.join(pair)
    tied = np.zeros(len(ids), dtype=np.bool_)
    for group in ties:
        members = list(group)
        parts.join(members, max(SMALL_PART, settings.max_component * len(ids)))
        tied[members] = True
    return Splits(ids, _distribute(ids, np.frombuffer(parts.firsts(), dtype=np.uint32), tied, settings, seed))


def split_ys(ys: Mapping[str, DocumentNumbers], documents: Splits, settings: SplitSettings) -> dict[str, Split]:
    """The split of each Y: the split of its documents or, if they differ, the one that has the fewest Y of the relation so far."""
    shares = _shares(settings)
    given: dict[str, Counter[Split]] = defaultdict(Counter)
    result: dict[str, Split] = {}
    counts = {y: documents.count(numbers) for y, numbers in ys.items()}
    totals: Counter[str] = Counter()
    for y, found in counts.items():
        totals[relation_of(y)] += found.total()
    named: dict[str, Split] = {}
    for y in sorted(counts, key=lambda y: (-counts[y].total(), y)):
        relation, name = relation_of(y), y.partition("\x1f")[2].lower()
        if name in named:  # "French" films and "French" people have one Y
            result[y] = named[name]
            continue
        possible = [split for split in SPLITS if shares[split] > 0]
        able = [split for split in possible if counts[y][split]] or possible
        filled = {split: given[relation][split] / (shares[split] * max(1, totals[relation])) for split in able}
        choice = min(able, key=lambda split: (filled[split], -counts[y][split]))
        given[relation][choice] += counts[y].total()
        result[y] = named[name] = choice
    return result


def _distribute(
    ids: Sequence[str], firsts: DocumentNumbers, tied: npt.NDArray[np.bool_], settings: SplitSettings, seed: int
) -> npt.NDArray[np.uint8]:
    """Distribute the parts over the splits; only documents that can become examples count towards the shares."""
    shares = _shares(settings)
    weights = np.bincount(firsts[tied], minlength=len(ids)).astype(np.uint32)
    total = max(1, int(weights.sum()))
    filled: dict[Split, float] = dict.fromkeys(SPLITS, 0.0)
    open_splits = [split for split in SPLITS if shares[split] > 0]
    parts = np.flatnonzero(firsts == np.arange(len(ids), dtype=np.uint32)).astype(np.uint32)
    chance = np.fromiter((stable_hash(str(seed), ids[int(part)]) for part in parts), dtype=np.uint64, count=len(parts))
    dealt = np.zeros(len(ids), dtype=np.uint8)
    for place in np.lexsort((chance, -weights[parts].astype(np.int64))):
        choice = min(open_splits, key=lambda split: filled[split] / (shares[split] * total))
        filled[choice] += int(weights[parts[place]]) or 1 / len(parts)
        dealt[parts[place]] = SPLITS.index(choice)
    return dealt[firsts]


def _shares(settings: SplitSettings) -> dict[Split, float]:
    weights: dict[Split, float] = {"train": settings.train, "dev": settings.dev, "test": settings.test}
    total = sum(weights.values()) or 1.0
    return {split: weight / total for split, weight in weights.items()}
