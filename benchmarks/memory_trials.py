"""Searches of public benchmarks that differ in the mode or in how the memory was made, on the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from constraintsuite.memory.dense import embed_all
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.modes.rerank import RerankMode
from constraintsuite.memory.public import BENCHMARKS
from constraintsuite.memory.public.base import BenchmarkFile, BenchmarkItem, Haystack, ReadOptions
from constraintsuite.memory.public.run import Links, parts_of, units_of
from constraintsuite.memory.results import ItemResult, SearchMode
from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.retrieval.bm25 import Bm25Settings

MODEL = "dense:all-MiniLM-L6-v2"
Making = Callable[[Haystack, DenseScorer], Memory]


@dataclass(frozen=True)
class Trial:
    """A mode over a memory that was made in some way, under the name that tables give it."""

    name: str
    mode: str
    make: Making


def plain(haystack: Haystack, encoder: DenseScorer) -> Memory:
    """BM25 as the issue has it: lower-cased words with titles, no stop list and no stems."""
    return Memory.of(parts_of(haystack), bm25=Bm25Settings(stop_list="none", stem=False))


def linked(haystack: Haystack, encoder: DenseScorer, links: Links = "names") -> Memory:
    """As `run_public` makes it."""
    return Memory.of(parts_of(haystack, links), encoder)


titled = partial(linked, links="titles")


@dataclass(frozen=True)
class Asked:
    """A benchmark with the vectors of all its texts, questions and names."""

    reading: BenchmarkFile
    encoder: DenseScorer

    def outcomes(self, trials: Sequence[Trial], budget: int) -> list[ItemResult]:
        """Every trial on every question; a smaller budget would give the beginning of the same rankings."""
        return [outcome for each in self.reading.haystacks.values() for outcome in self._of(each, trials, budget)]

    def _of(self, haystack: Haystack, trials: Sequence[Trial], budget: int) -> Iterator[ItemResult]:
        items = [item for item in self.reading.items if item.haystack == haystack.id]
        memories = {make: make(haystack, self.encoder) for make in dict.fromkeys(trial.make for trial in trials)}
        names = {passage.unit: passage.name for source in haystack.sources for passage in source.passages}
        for trial in trials:
            mode = self._loaded(trial, memories[trial.make])
            for item in items:
                found = [names[each.unit] for each in mode.search(item.question, budget).ranking]
                yield self._scored(trial, item, found, budget)

    def _scored(self, trial: Trial, item: BenchmarkItem, found: Sequence[str], budget: int) -> ItemResult:
        values = self.reading.scorer.score(item, found, budget)
        return ItemResult(trial.name, item.id, budget, values, tuple(found), item.groups, item.cluster)

    def _loaded(self, trial: Trial, memory: Memory) -> SearchMode:
        mode = load_mode(trial.mode, memory)
        if isinstance(mode, RerankMode):
            mode._loaded = self.encoder  # the same model; its vectors of these texts are known already
        return mode


def ask(benchmark: str, path: Path, options: ReadOptions, cache: Path, *, names: bool = False) -> Asked:
    """Read a benchmark and embed it; with `names` also the names of its entities."""
    reading = BENCHMARKS.load(benchmark)(path, options)
    encoder = load_scorer(MODEL, Workbench())
    assert isinstance(encoder, DenseScorer)
    texts = [*_texts(reading.haystacks.values()), *(_names(reading.haystacks.values()) if names else ())]
    return Asked(reading, embed_all(encoder, texts, (item.question for item in reading.items), cache))


def _texts(haystacks: Iterable[Haystack]) -> Iterator[str]:
    memory = Memory()
    return (memory.searched(unit) for each in haystacks for source in each.sources for unit in units_of(source))


def _names(haystacks: Iterable[Haystack]) -> Iterator[str]:
    return (mention.entity for each in haystacks for part in parts_of(each) for mention in part.mentions)
