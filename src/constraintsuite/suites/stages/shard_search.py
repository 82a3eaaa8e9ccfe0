"""BM25 hits by shards: count every shard, add up, search every shard, merge; workers share nothing but the folder.

What they hand over lies in hidden files, which are no content of the stage. Texts are analysed once, to count: what the search
needs of them is handed over too, a few bytes for each term of a document that stands in a query. A worker imports this
module, and not the reading of queries, which loads hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter, encode, read_jsonl, write_jsonl
from constraintsuite.core.store.mirror import remove_from_store
from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.retrieval.bm25 import (
    HitColumns,
    asked_terms,
    collect_postings,
    merge_rankings,
    open_shard,
    read_shard,
    write_shard,
)
from constraintsuite.suites.corpus.files import part_path
from constraintsuite.suites.recipe import CandidateSettings, Recipe
from constraintsuite.text.terms import TermAnalyser

_QUERIES = adapter(list[list[str]])


@dataclass(frozen=True)
class CountTask:
    """One shard to read and count."""

    source: Path
    queries: Path
    """The terms of each."""
    counts: Path
    postings: Path
    settings: CandidateSettings


@dataclass(frozen=True)
class RankTask:
    """One shard to search for all queries, with the counts of all shards."""

    queries: Path
    postings: Path
    """What the terms of this shard's documents are."""
    whole: Path
    """What all shards counted, added up."""
    hits: Path
    settings: CandidateSettings


def search_by_shards(job: Job[Recipe], queries: Sequence[str]) -> WorkCounts:
    """Leave the hits of each shard for all queries in the folder."""
    settings, shards = job.recipe.candidates, range(job.recipe.documents.shards)
    asked, whole = job.out / ".queries.json", job.out / ".whole.json"
    analyser = _analyser(settings)
    write_text(asked, _QUERIES.dump_json([analyser.terms(query) for query in queries]).decode())
    counts, postings, hits = _counts(job), _postings(job), _hits(job)
    sources = [part_path(job.inputs["documents"], shard) for shard in shards]
    counted = job.map_shards(
        "count",
        count_shard,
        {f"count-{i:05d}": CountTask(sources[i], asked, counts[i], postings[i], settings) for i in shards},
    )
    if not whole.is_file():
        merged = CorpusStatistics.merged(adapter(CorpusStatistics).validate_json(file.read_bytes()) for file in counts)
        write_text(whole, encode(merged).decode())
    searched = job.map_shards(
        "search",
        rank_shard,
        {f"search-{i:05d}": RankTask(asked, postings[i], whole, hits[i], settings) for i in shards},
    )
    return WorkCounts.merged([counted, searched])


def read_hits(job: Job[Recipe]) -> Iterator[HitColumns]:
    """The hits of each query among all shards; their files have the same order, and are read side by side."""
    for parts in zip(*(read_jsonl(hits, HitColumns) for hits in _hits(job)), strict=True):
        yield merge_rankings(parts, job.recipe.candidates.k_pool)


def clear_up(job: Job[Recipe]) -> None:
    """Remove what the shards left, from an object store first: what is still there would come back."""
    for file in (*_counts(job), *_postings(job), *_hits(job)):
        remove_from_store(file)
        file.unlink(missing_ok=True)


def count_shard(task: CountTask, isolation: RecordIsolation) -> WorkCounts:
    """Read one shard, keep what its documents hold of the terms of queries, and count it."""
    asked = asked_terms(_QUERIES.validate_json(task.queries.read_bytes()))
    shard = collect_postings(_terms_of(task.source, _analyser(task.settings), isolation), asked)
    write_shard(task.postings, shard)
    write_text(task.counts, encode(shard.postings.statistics()).decode())
    return WorkCounts()


def rank_shard(task: RankTask, isolation: RecordIsolation) -> WorkCounts:
    """Search one shard for all queries; nothing but this shard is in memory."""
    whole = adapter(CorpusStatistics).validate_json(task.whole.read_bytes())
    queries = _QUERIES.validate_json(task.queries.read_bytes())
    shard = open_shard(read_shard(task.postings), whole, Bm25Formula(task.settings.k1, task.settings.b))
    write_jsonl(task.hits, (shard.rank_terms(terms, task.settings.k_pool) for terms in queries))
    return WorkCounts()


def _terms_of(source: Path, analyser: TermAnalyser, isolation: RecordIsolation) -> Iterator[tuple[str, list[str]]]:
    """Each document of a shard with its terms, with a few of them in memory at a time."""

    def analysed(documents: Sequence[Document]) -> list[list[str]]:
        return [analyser.terms(f"{document.title} {document.text}") for document in documents]

    for document, terms in isolation.map_blocks(read_jsonl(source, Document), lambda document: document.id, analysed):
        yield document.id, terms


def _counts(job: Job[Recipe]) -> list[Path]:
    return _handed_over(job, "counts", "json")


def _postings(job: Job[Recipe]) -> list[Path]:
    return _handed_over(job, "postings", "npy")


def _hits(job: Job[Recipe]) -> list[Path]:
    return _handed_over(job, "hits", "jsonl")


def _handed_over(job: Job[Recipe], what: str, ending: str) -> list[Path]:
    return [job.out / f".{what}-{shard:05d}.{ending}" for shard in range(job.recipe.documents.shards)]


def _analyser(settings: CandidateSettings) -> TermAnalyser:
    return TermAnalyser(settings.stop_list, settings.stem)
