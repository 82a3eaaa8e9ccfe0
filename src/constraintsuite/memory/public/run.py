"""Runs all modes on all questions of a public benchmark, at equal budgets, with one memory per haystack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.memory.benchmark_run import BenchmarkRun
from constraintsuite.memory.dense import embed_all
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.names import TitleFinder, bare_title, mentions_of, unit_mentions, without_common
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.public.base import BenchmarkFile, BenchmarkItem, Haystack, HaystackDocument, HaystackPassage
from constraintsuite.memory.records import EntityMention, MemoryDocument, Unit, weighted_edge
from constraintsuite.memory.results import ItemResult, SearchMode
from constraintsuite.models.dense import DenseScorer
from constraintsuite.text.tokens import find_tokens

Links = Literal["names", "titles"]
"""What links documents: all names in them, or only the titles of documents."""


def parts_of(haystack: Haystack, links: Links = "names") -> list[MemoryDocument]:
    """Make the parts of a memory: passages of a document follow each other, and shared names link documents.

    The order of documents in a file makes no edges: in some files the gold documents are neighbours. An entity that too
    many passages name is left out, as in ingestion.
    """
    titles = TitleFinder(
        {
            source.title: dict.fromkeys((source.title, bare_title(source.title)))
            for source in haystack.sources
            if source.title
        }
    )
    mentions = without_common(_mentions(source, titles, links) for source in haystack.sources)
    return [_part(source, own) for source, own in zip(haystack.sources, mentions, strict=True)]


def units_of(source: HaystackDocument) -> tuple[Unit, ...]:
    """Make units of the passages of a document, without mentions."""
    return tuple(
        Unit(passage.unit, source.id, passage.text, source.headings, attributes=source.attributes)
        for passage in source.passages
    )


def _part(source: HaystackDocument, mentions: tuple[EntityMention, ...]) -> MemoryDocument:
    units = units_of(source)
    return MemoryDocument(
        id=source.id,
        title=source.title,
        sha256=sha256_text(source.title, *source.headings, *(unit.text for unit in units)),
        units=units,
        edges=tuple(weighted_edge(a.id, b.id, "next", because="the next passage") for a, b in pairwise(units)),
        mentions=mentions,
    )


def _mentions(source: HaystackDocument, titles: TitleFinder, links: Links) -> Iterator[EntityMention]:
    """Yield for each passage the title above it, the names in it, and the titles of other documents in it."""
    for passage in source.passages:
        named = mentions_of(passage.text if links == "names" else "", source.title)
        found = (
            (normalise_entity(bare_title(title)), span.of(passage.text)) for title, span in titles.find(passage.text)
        )
        yield from unit_mentions(passage.unit, named, found)


@dataclass(frozen=True)
class PublicRun(BenchmarkRun):
    """A run of a public benchmark."""

    most_tokens: int | None = None
    """A ranking ends before the unit with which it would exceed this many words and punctuation marks."""
    links: Links = "names"
    answers: Mapping[str, str] | None = None
    """Answers by id of the item, which are also scored; a missing one is wrong."""
    repeats: int = 0
    """How often a search is repeated at once for its warm time; the first one builds what these reuse."""
    timed: int = 50
    """How many items, from the beginning, are searched again."""


def run_public(reading: BenchmarkFile, run: PublicRun, encoder: DenseScorer | None = None) -> Iterator[ItemResult]:
    """Yield the outcome of every mode at every budget on every item; equal inputs give equal outcomes in equal order."""
    _check(reading, run)
    ready = _embedded(reading, run, encoder) if encoder is not None else None
    asked: dict[str, list[BenchmarkItem]] = {}
    for item in reading.items:
        asked.setdefault(item.haystack, []).append(item)
    searcher = _Searcher(reading, run, ready)
    with run.reporter.track(reading.benchmark, len(reading.items)) as advance:
        for name, items in asked.items():
            searcher.load(reading.haystacks[name])
            for item in items:
                yield from searcher.ask(item)
                advance()


def _check(reading: BenchmarkFile, run: PublicRun) -> None:
    run.check()
    if run.most_tokens is not None and run.most_tokens < 1:
        raise UserError("A budget must be 1 or more.")
    if run.answers is not None:
        reading.scorer.answered(reading.items[0], None, (), run.budgets[0])  # refused before any work is done
        if run.answers.keys().isdisjoint(item.id for item in reading.items):
            raise UserError(f"No answer is to a question of this file: its first question is {reading.items[0].id!r}.")


def _embedded(reading: BenchmarkFile, run: PublicRun, encoder: DenseScorer) -> DenseScorer:
    sources = (source for haystack in reading.haystacks.values() for source in haystack.sources)
    texts = [Memory.searched(unit) for source in sources for unit in units_of(source)]
    return embed_all(encoder, texts, (item.question for item in reading.items), run.cache)


class _ReplaceableMemory(Memory):
    """A memory whose content is replaced for each haystack, so that modes and their models are made once per run."""

    def become(self, other: Memory) -> None:
        """Hold what `other` holds, and nothing else."""
        vars(self).clear()
        vars(self).update(vars(other))


class _Searcher:
    """Searches one haystack after another with all modes of a run."""

    def __init__(self, reading: BenchmarkFile, run: PublicRun, encoder: DenseScorer | None) -> None:
        self._run, self._encoder, self._scorer = run, encoder, reading.scorer
        self._memory = _ReplaceableMemory(encoder)
        self._modes: list[SearchMode] = [load_mode(mode, self._memory, bench=run.bench) for mode in run.modes]
        self._timed = {item.id for item in reading.items[: run.timed]}
        self._passages: dict[str, HaystackPassage] = {}
        self._lengths: dict[str, int] = {}

    def load(self, haystack: Haystack) -> None:
        """Search this haystack from now on."""
        self._memory.become(Memory.of(parts_of(haystack, self._run.links), self._encoder))
        self._passages = {passage.unit: passage for source in haystack.sources for passage in source.passages}
        self._lengths = {}

    def ask(self, item: BenchmarkItem) -> Iterator[ItemResult]:
        """Yield the outcomes of one item."""
        for mode in self._modes:
            for budget in self._run.budgets:
                found = self._search(mode, item, budget)
                names = [passage.name for passage in found]
                values = self._scorer.score(item, names, budget) | {
                    "units": float(len(found)),
                    "tokens": float(sum(map(self._tokens, found))),
                }
                if self._run.answers is not None:
                    values |= self._scorer.answered(item, self._run.answers.get(item.id), names, budget)
                yield ItemResult(mode.name, item.id, budget, values, tuple(names), item.groups, item.cluster)

    def _search(self, mode: SearchMode, item: BenchmarkItem, budget: int) -> list[HaystackPassage]:
        recall = self._run.search(mode, item.question, budget, item.id)
        for _ in range(self._run.repeats if item.id in self._timed else 0):
            self._run.search(mode, item.question, budget, item.id)
        return self._cut([self._passages[recalled.unit] for recalled in recall.ranking])

    def _cut(self, found: list[HaystackPassage]) -> list[HaystackPassage]:
        if self._run.most_tokens is None:
            return found
        total = 0
        for place, passage in enumerate(found):
            total += self._tokens(passage)
            if total > self._run.most_tokens:
                return found[:place]
        return found

    def _tokens(self, passage: HaystackPassage) -> int:
        if passage.unit not in self._lengths:
            self._lengths[passage.unit] = len(find_tokens(passage.text))
        return self._lengths[passage.unit]
