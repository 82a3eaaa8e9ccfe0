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
    parent = {document: document for document in ids}
    size = dict.fromkeys(ids, 1)

    def root(document: str) -> str:
        while parent[document] != document:
            parent[document] = parent[parent[document]]
            document = parent[document]
        return document

    def join(group: Iterable[str], limit: float) -> None:
        roots = sorted({root(document) for document in group if document in parent})
        if len(roots) > 1 and sum(size[r] for r in roots) <= limit:
            for other in roots[1:]:
                parent[other] = roots[0]
                size[roots[0]] += size[other]

    for document, first in clusters.items():
        join((document, first), len(ids))
    tied: set[str] = set()
    for group in ties:
        join(group, max(SMALL_PART, settings.max_component * len(ids)))
        tied.update(group)
    parts: dict[str, list[str]] = defaultdict(list)
    for document in ids:
        parts[root(document)].append(document)
    return _deal(parts, tied, settings, seed)


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
