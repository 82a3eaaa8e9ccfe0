"""Leak-free splits: documents first, tied together by near-duplicates and shared Y; then each Y; what crosses over is dropped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from constraintsuite.build.queries.relations import relation_of
from constraintsuite.build.recipe import SplitSettings
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import SPLITS, Split

SMALL_COLLECTION = 60
"""Collections below this size are not split: nearly every pair would cross over. All of it is test."""
SMALL_PART = 40
"""Documents that may always be tied together, however small the collection."""


def split_documents(
    documents: Iterable[str],
    clusters: Mapping[str, str],
    ties: Iterable[tuple[str, ...]],
    settings: SplitSettings,
    seed: int,
) -> dict[str, Split]:
    """The split of each document.

    `ties` are groups of documents that share something, in order of importance: each is kept together unless the part that
    would result holds more than `max_component` of the collection.
    """
    ids = sorted(documents)
    if len(ids) < SMALL_COLLECTION:
        return dict.fromkeys(ids, "test")
    forest = _Forest(ids)
    for document, first in clusters.items():
        forest.join((document, first), len(ids))
    tied: set[str] = set()
    for group in ties:
        forest.join(group, max(SMALL_PART, settings.max_component * len(ids)))
        tied.update(group)
    return _deal(forest.parts(), tied, settings, seed)


def split_ys(
    ys: Mapping[str, Iterable[str]], documents: Mapping[str, Split], settings: SplitSettings
) -> dict[str, Split]:
    """The split of each Y: where its documents are; one that stands in several goes where its relation lacks most."""
    shares = _shares(settings)
    given: dict[str, Counter[Split]] = defaultdict(Counter)
    result: dict[str, Split] = {}
    counts = {y: Counter(documents[d] for d in ids if d in documents) for y, ids in ys.items()}
    totals: Counter[str] = Counter()
    for y, found in counts.items():
        totals[relation_of(y)] += found.total()
    named: dict[str, Split] = {}
    for y in sorted(counts, key=lambda y: (-counts[y].total(), y)):
        relation, name = relation_of(y), y.partition("\x1f")[2].lower()
        if name in named:  # "French" of films and of people is one Y
            result[y] = named[name]
            continue
        able = [split for split in SPLITS if counts[y][split] and shares[split] > 0] or [
            s for s in SPLITS if shares[s] > 0
        ]
        filled = {split: given[relation][split] / (shares[split] * max(1, totals[relation])) for split in able}
        choice = min(able, key=lambda split: (filled[split], -counts[y][split]))
        given[relation][choice] += counts[y].total()
        result[y] = named[name] = choice
    return result


class _Forest:
    """Documents joined into parts: each points towards the first of its part."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._parent = {document: document for document in ids}
        self._size = dict.fromkeys(self._parent, 1)

    def join(self, group: Iterable[str], limit: float) -> None:
        """Make one part of all that hold a document of the group, unless it would have more than `limit` documents."""
        roots = sorted({self._root(document) for document in group if document in self._parent})
        if len(roots) > 1 and sum(self._size[root] for root in roots) <= limit:
            for other in roots[1:]:
                self._parent[other] = roots[0]
                self._size[roots[0]] += self._size[other]

    def parts(self) -> dict[str, list[str]]:
        """The documents of each part, by the first of them."""
        parts: dict[str, list[str]] = defaultdict(list)
        for document in self._parent:
            parts[self._root(document)].append(document)
        return parts

    def _root(self, document: str) -> str:
        while self._parent[document] != document:
            self._parent[document] = self._parent[self._parent[document]]
            document = self._parent[document]
        return document


def _deal(parts: Mapping[str, list[str]], tied: set[str], settings: SplitSettings, seed: int) -> dict[str, Split]:
    """Deal the parts out; only documents that can become examples weigh, the others follow by hash."""
    shares = _shares(settings)
    weights = {name: sum(document in tied for document in part) for name, part in parts.items()}
    total = max(1, sum(weights.values()))
    filled: dict[Split, float] = dict.fromkeys(SPLITS, 0.0)
    result: dict[str, Split] = {}
    for name in sorted(parts, key=lambda name: (-weights[name], stable_hash(str(seed), name))):
        open_splits = [split for split in SPLITS if shares[split] > 0]
        choice = min(open_splits, key=lambda split: filled[split] / (shares[split] * total))
        filled[choice] += weights[name] or 1 / len(parts)
        result.update(dict.fromkeys(parts[name], choice))
    return result


def _shares(settings: SplitSettings) -> dict[Split, float]:
    weights: dict[Split, float] = {"train": settings.train, "dev": settings.dev, "test": settings.test}
    total = sum(weights.values()) or 1.0
    return {split: weight / total for split, weight in weights.items()}
