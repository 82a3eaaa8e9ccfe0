"""BM25 hits by shards: count every shard, add up, search every shard, merge; workers share nothing but the folder.

What they hand over lies in hidden files, which are no content of the stage. A worker imports this module, and not the reading
of queries, which loads hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.build.recipe import CandidateSettings, Recipe
from constraintsuite.build.stages.documents import part_path
from constraintsuite.execution.care import Care
from constraintsuite.execution.spread import Outcome
from constraintsuite.execution.stage import Job
from constraintsuite.execution.travel import clear
from constraintsuite.records.text import Document
from constraintsuite.retrieval.bm25 import Ranking
from constraintsuite.retrieval.sharded import Bm25Shard, TermCounts, asked_terms, count_terms, merge_rankings
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, encode, read_jsonl, write_jsonl
from constraintsuite.text.terms import TermAnalyser


@dataclass(frozen=True, slots=True)
class PartCounts:
    """What one shard counts, and the documents that it had to leave out."""

    counts: TermCounts
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class CountTask:
    """One shard to count."""

    source: Path
    queries: Path
    target: Path
    settings: CandidateSettings


@dataclass(frozen=True)
class SearchTask:
    """One shard to search."""

    source: Path
    queries: Path
    counted: Path
    """What this shard counted."""
    whole: Path
    """What all of them counted, added up."""
    target: Path
    settings: CandidateSettings


def search_by_shards(job: Job[Recipe], queries: Sequence[str]) -> Outcome:
    """Leave the hits of each shard for all queries in the folder."""
    settings, sources = job.recipe.candidates, _sources(job)
    asked, whole = job.out / ".queries.json", job.out / ".whole.json"
    write_text(asked, adapter(tuple[str, ...]).dump_json(tuple(queries)).decode())
    counted = job.map_shards(
        "count",
        count_shard,
        {
            f"count-{shard:05d}": CountTask(source, asked, counts, settings)
            for shard, (source, counts) in enumerate(zip(sources, _counts(job), strict=True))
        },
    )
    if not whole.is_file():
        merged = TermCounts.merged(_read_counts(counts).counts for counts in _counts(job))
        write_text(whole, encode(merged).decode())
    searched = job.map_shards(
        "search",
        search_shard,
        {
            f"search-{shard:05d}": SearchTask(source, asked, counts, whole, hits, settings)
            for shard, (source, counts, hits) in enumerate(zip(sources, _counts(job), _hits(job), strict=True))
        },
    )
    return Outcome.merged([counted, searched])


def read_hits(job: Job[Recipe]) -> Iterator[Ranking]:
    """The hits of each query among all shards; their files have the same order, and are read side by side."""
    for parts in zip(*(read_jsonl(hits, Ranking) for hits in _hits(job)), strict=True):
        yield merge_rankings(parts, job.recipe.candidates.k_pool)


def clear_up(job: Job[Recipe]) -> None:
    """Remove what the shards left, from an object store first: what is still there would come back."""
    for file in (*_counts(job), *_hits(job)):
        clear(file)
        file.unlink(missing_ok=True)


def count_shard(task: CountTask, care: Care) -> Outcome:
    """Count the terms of one shard that stand in a query."""
    analyser = _analyser(task.settings)
    asked = asked_terms(_read_queries(task.queries), analyser)
    counts = count_terms((terms for _, terms in _terms_of(task.source, analyser, care)), asked)
    left_out = tuple(poison.record for poison in care.poison)
    write_text(task.target, encode(PartCounts(counts, left_out)).decode())
    return Outcome()


def search_shard(task: SearchTask, care: Care) -> Outcome:
    """Search one shard for all queries; nothing but this shard is in memory."""
    whole = adapter(TermCounts).validate_json(task.whole.read_bytes())
    settings, analyser = task.settings, _analyser(task.settings)
    documents = _terms_of(task.source, analyser, care, frozenset(_read_counts(task.counted).left_out))
    shard = Bm25Shard(documents, whole, k1=settings.k1, b=settings.b, analyser=analyser)
    write_jsonl(task.target, (shard.rank(query, settings.k_pool) for query in _read_queries(task.queries)))
    return Outcome()


def _terms_of(
    source: Path, analyser: TermAnalyser, care: Care, left_out: frozenset[str] = frozenset()
) -> Iterator[tuple[str, list[str]]]:
    """Each document of a shard with its terms, with a few of them in memory at a time."""
    known = (document for document in read_jsonl(source, Document) if document.id not in left_out)

    def analysed(documents: Sequence[Document]) -> list[list[str]]:
        return [analyser.terms(f"{document.title} {document.text}") for document in documents]

    for document, terms in care.each(known, lambda document: document.id, analysed):
        yield document.id, terms


def _sources(job: Job[Recipe]) -> list[Path]:
    return [part_path(job.inputs["documents"], shard) for shard in range(job.recipe.documents.shards)]


def _counts(job: Job[Recipe]) -> list[Path]:
    return [job.out / f".counts-{shard:05d}.json" for shard in range(job.recipe.documents.shards)]


def _hits(job: Job[Recipe]) -> list[Path]:
    return [job.out / f".hits-{shard:05d}.jsonl" for shard in range(job.recipe.documents.shards)]


def _analyser(settings: CandidateSettings) -> TermAnalyser:
    return TermAnalyser(settings.stop_list, settings.stem)


def _read_queries(file: Path) -> tuple[str, ...]:
    return adapter(tuple[str, ...]).validate_json(file.read_bytes())


def _read_counts(file: Path) -> PartCounts:
    return adapter(PartCounts).validate_json(file.read_bytes())
