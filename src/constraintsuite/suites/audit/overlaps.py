"""Texts that occur elsewhere: word n-grams that the splits of a suite share, and texts that another suite or corpus has too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import SPLITS, Example
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.corpora.base import STRICT, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.audit.groups import group_examples
from constraintsuite.suites.audit.results import ALL_MAIN, OverlapRow, TextKind
from constraintsuite.suites.examples import read_examples
from constraintsuite.text.terms import words

SPLIT_WORDS = 8
CORPUS_WORDS = 13
"""The size of n-gram that is common for finding test data in training data (Brown et al. 2020)."""


class NgramSearch:
    """Marks those of its texts that occur in other texts, which are read one by one and not kept."""

    def __init__(self, texts: Sequence[str], size: int) -> None:
        self.size = size
        self.found = np.zeros(len(texts), dtype=bool)
        self.verbatim = np.zeros(len(texts), dtype=bool)
        self._whole: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._grams: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            own = tuple(words(text))
            self._whole[own].append(place)
            for gram in set(_grams(own, size)):
                self._grams[gram].append(place)

    def read(self, text: str) -> None:
        """Look for the texts in one other text."""
        other = tuple(words(text))
        same = self._whole.get(other, [])
        self.verbatim[same] = True
        self.found[same] = True
        for gram in _grams(other, self.size):
            if gram in self._grams:
                self.found[self._grams[gram]] = True


def _grams(text: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    return (text[start : start + size] for start in range(len(text) - size + 1))


def split_overlaps(examples: Sequence[Example], seed: int) -> Iterator[OverlapRow]:
    """How many queries and documents of the other splits share eight consecutive words with those of train."""
    by_split = {split: [one for one in examples if one.split == split] for split in SPLITS}
    train, *others = SPLITS
    for split in others:
        if by_split[train] and by_split[split]:
            for kind in _KINDS:
                yield from _overlaps(by_split[split], split, (kind,), train, texts_of(by_split[train], kind), seed)


def corpus_overlaps(
    examples: Sequence[Example], elsewhere: Mapping[str, Iterable[str]], seed: int
) -> Iterator[OverlapRow]:
    """How many queries and documents of a suite share thirteen consecutive words with texts from elsewhere, by their name."""
    for name, texts in elsewhere.items():
        yield from _overlaps(examples, ALL_MAIN, _KINDS, name, texts, seed)


def texts_of(examples: Iterable[Example], kind: TextKind) -> list[str]:
    """The distinct queries and opposite queries of examples, or their documents."""
    return list(dict.fromkeys(text for example in examples for text in _own(example, kind)))


def read_texts(place: str) -> Iterator[str]:
    """All queries and documents of a suite in a folder, or of any other source of text."""
    if (Path(place) / "examples.jsonl").is_file():
        examples = read_examples(Path(place))
        for kind in _KINDS:
            yield from texts_of(examples, kind)
        return
    source = open_source(SourceSettings(source=place))
    yield from (document.text for document in source.documents(STRICT))
    yield from (query.text for query in source.queries())


_KINDS: tuple[TextKind, ...] = ("queries", "documents")


def _own(example: Example, kind: TextKind) -> list[str]:
    if kind == "documents":
        return [document.text for document in example.documents]
    return [query for query in (example.query, example.opposite) if query is not None]


def _overlaps(
    examples: Sequence[Example],
    part: str,
    kinds: Sequence[TextKind],
    elsewhere: str,
    others: Iterable[str],
    seed: int,
) -> Iterator[OverlapRow]:
    size = CORPUS_WORDS if part == ALL_MAIN else SPLIT_WORDS
    numbers = group_examples(examples)[1].tolist()
    groups: dict[TextKind, dict[str, int]] = {kind: {} for kind in kinds}
    for example, group in zip(examples, numbers, strict=True):
        for kind in kinds:
            for text in _own(example, kind):
                groups[kind].setdefault(text, group)
    searches = {kind: NgramSearch(list(groups[kind]), size) for kind in kinds}
    for text in others:
        for search in searches.values():
            search.read(text)
    for kind, search in searches.items():
        clusters = np.array(list(groups[kind].values()), dtype=np.int64)
        draws = stable_hash(str(seed), part, kind, elsewhere)
        (share,) = mean_figures([search.found.astype(np.float64)], clusters, draws)
        yield OverlapRow(part, kind, elsewhere, size, share, float(search.verbatim.mean()))
