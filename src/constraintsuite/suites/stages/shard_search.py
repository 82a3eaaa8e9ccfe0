"""BM25 by shards: count the terms of every shard, add up the counts, search every shard, merge the hits.

Workers share only the folder of the stage. They pass results on in hidden files, which do not belong to the output of
the stage. Texts are analysed once, when they are counted: the postings keep a few bytes for each term of a document
that is in a query. Workers import this module and not the mining of queries, which loads hundreds of megabytes.
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
_ENDINGS = {"counts": "json", "postings": "npy", "hits": "jsonl"}
"""Hidden files that each shard has, with their endings."""


@dataclass(frozen=True)
class CountTask:
    """One shard of documents to count; `queries` holds the terms of each query."""

    source: Path
    queries: Path
    counts: Path
    postings: Path
    settings: CandidateSettings


@dataclass(frozen=True)
class RankTask:
    """One shard to search for all queries; `whole` holds the counts of all shards together."""

    queries: Path
    postings: Path
    whole: Path
    hits: Path
    settings: CandidateSettings


def search_by_shards(job: Job[Recipe], queries: Sequence[str]) -> WorkCounts:
    """Write the hits of each shard for all queries; `read_hits` merges them."""
    settings, shards = job.recipe.candidates, range(job.recipe.documents.shards)
    asked, whole = job.out / ".queries.json", job.out / ".whole.json"
    analyser = _analyser(settings)
    write_text(asked, _QUERIES.dump_json([analyser.terms(query) for query in queries]).decode())
    counts, postings, hits = (_shard_files(job, name) for name in _ENDINGS)
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
    """The best hits of each query over all shards, in the order of the queries."""
    for parts in zip(*(read_jsonl(hits, HitColumns) for hits in _shard_files(job, "hits")), strict=True):
        yield merge_rankings(parts, job.recipe.candidates.k_pool)


def remove_shard_files(job: Job[Recipe]) -> None:
    """Remove the hidden files of the shards, first from an object store: whatever is still there would be fetched again."""
    for name in _ENDINGS:
        for file in _shard_files(job, name):
            remove_from_store(file)
            file.unlink(missing_ok=True)


def count_shard(task: CountTask, isolation: RecordIsolation) -> WorkCounts:
    """Count one shard, and keep the postings of the terms that are in a query."""
    asked = asked_terms(_QUERIES.validate_json(task.queries.read_bytes()))
    shard = collect_postings(_terms_of(task.source, _analyser(task.settings), isolation), asked)
    write_shard(task.postings, shard)
    write_text(task.counts, encode(shard.postings.statistics()).decode())
    return WorkCounts()


def rank_shard(task: RankTask, _: RecordIsolation) -> WorkCounts:
    """Search one shard for all queries; only this shard is in memory."""
    whole = adapter(CorpusStatistics).validate_json(task.whole.read_bytes())
    queries = _QUERIES.validate_json(task.queries.read_bytes())
    shard = open_shard(read_shard(task.postings), whole, Bm25Formula(task.settings.k1, task.settings.b))
    write_jsonl(task.hits, (shard.rank_terms(terms, task.settings.k_pool) for terms in queries))
    return WorkCounts()


def _terms_of(source: Path, analyser: TermAnalyser, isolation: RecordIsolation) -> Iterator[tuple[str, list[str]]]:
    """The id and the terms of each document of a shard; few documents are in memory at a time."""

    def analysed(documents: Sequence[Document]) -> list[list[str]]:
        return [analyser.terms(f"{document.title} {document.text}") for document in documents]

    for document, terms in isolation.map_blocks(read_jsonl(source, Document), lambda document: document.id, analysed):
        yield document.id, terms


def _shard_files(job: Job[Recipe], name: str) -> list[Path]:
    return [job.out / f".{name}-{shard:05d}.{_ENDINGS[name]}" for shard in range(job.recipe.documents.shards)]


def _analyser(settings: CandidateSettings) -> TermAnalyser:
    return TermAnalyser(settings.stop_list, settings.stem)
