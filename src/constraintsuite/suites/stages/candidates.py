"""Stage 4: BM25 pools for topics and opposite queries, with ranks and scores.

Never for the query itself: its Y would pull up the documents that it excludes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.mirror import push_path
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import Retriever, search_all
from constraintsuite.models.retrieval.bm25 import HitColumns
from constraintsuite.models.retrieval.lucene import LuceneRetriever
from constraintsuite.models.retrieval.opensearch.retriever import OpenSearchRetriever
from constraintsuite.suites.recipe import LUCENE, CandidateSettings, Recipe
from constraintsuite.suites.stages.documents import read_documents
from constraintsuite.suites.stages.queries import read_buildable
from constraintsuite.suites.stages.shard_search import read_hits, remove_shard_files, search_by_shards

POOLS = "pools.jsonl"


@dataclass(frozen=True, slots=True)
class Pool:
    """The best documents for one query text, best first."""

    query: str
    documents: tuple[str, ...]
    scores: tuple[float, ...]


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `pools.jsonl`: one pool for each distinct topic and opposite query that will be built."""
    proposals = [one for one in read_buildable(job.inputs["queries"]) if one.entities == "real"]
    queries = sorted({text for proposal in proposals for text in proposal.searched})
    counts = {"pools": len(queries)}
    if job.recipe.candidates.engine != "bm25":
        _write_pools(job.out, queries, _search_index(job, queries))
        return WorkCounts(counts)
    searched = search_by_shards(job, queries)
    if not (
        job.out / POOLS
    ).is_file():  # if it is there, an earlier run was stopped while it removed the files of shards
        _write_pools(job.out, queries, read_hits(job))
        push_path(job.out / POOLS)  # to the object store, before the files that it was made from are removed there
    remove_shard_files(job)
    return WorkCounts(counts, searched.rejects)


def read_pools(folder: Path) -> Iterator[Pool]:
    """The pools of the stage, one after the other: all of them would take much memory."""
    return read_jsonl(folder / POOLS, Pool)


def _search_index(job: Job[Recipe], queries: Sequence[str]) -> Iterator[HitColumns]:
    """The hits for each query in an index that exists already."""
    settings = job.recipe.candidates
    ids = [document.id for document in read_documents(job.inputs["documents"])]
    index = _open_index(settings, ids, job.reporter)
    for hits in search_all(index, queries, settings.k_pool, job.reporter):
        yield HitColumns([hit.document for hit in hits], [hit.score for hit in hits])


def _write_pools(folder: Path, queries: Sequence[str], rankings: Iterable[HitColumns]) -> None:
    pools = (
        Pool(query, tuple(ranking.documents), tuple(round(score, 5) for score in ranking.scores))
        for query, ranking in zip(queries, rankings, strict=True)
    )
    write_jsonl(folder / POOLS, pools)


def _open_index(settings: CandidateSettings, ids: Sequence[str], reporter: Reporter) -> Retriever:
    if not settings.engine.startswith(LUCENE):
        return OpenSearchRetriever(settings.engine, ids, Workbench(reporter=reporter))
    lucene = LuceneRetriever(settings.engine.removeprefix(LUCENE), ids, k1=settings.k1, b=settings.b)
    if lucene.shared < len(ids):
        missing = len(ids) - lucene.shared
        reporter.note(
            f"{missing:,} of {len(ids):,} documents are not in the index {settings.index}: no pool holds them."
        )
    return lucene
