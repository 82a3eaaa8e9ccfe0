"""Stage 4: BM25 pools by topic and by opposite query, with ranks and scores.

Never by the query itself: its Y would pull up what it excludes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.mirror import push_path
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import Hit, Retriever, search_all
from constraintsuite.models.retrieval.bm25 import HitColumns
from constraintsuite.models.retrieval.lucene import LuceneRetriever
from constraintsuite.models.retrieval.opensearch.retriever import OpenSearchRetriever
from constraintsuite.suites.recipe import LUCENE, CandidateSettings, Recipe
from constraintsuite.suites.stages.documents import read_documents
from constraintsuite.suites.stages.queries import read_proposals
from constraintsuite.suites.stages.shard_search import clear_up, read_hits, search_by_shards

POOLS = "pools.jsonl"


@dataclass(frozen=True, slots=True)
class Pool:
    """The best documents for one query text, best first."""

    query: str
    documents: tuple[str, ...]
    scores: tuple[float, ...]


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `pools.jsonl`: one pool for each distinct topic and opposite query that will be built."""
    proposals = [p for p in read_proposals(job.inputs["queries"]) if p.status in ("build", "accepted")]
    queries = sorted({text for proposal in proposals for text in (proposal.topic, proposal.opposite)})
    rejects = (_work_by_shards if job.recipe.candidates.engine == "bm25" else _work_elsewhere)(job, queries).rejects
    return WorkCounts({"pools": len(queries)}, rejects)


def read_pools(folder: Path) -> dict[str, Pool]:
    """The pools by query text."""
    return {pool.query: pool for pool in read_jsonl(folder / POOLS, Pool)}


def _work_by_shards(job: Job[Recipe], queries: Sequence[str]) -> WorkCounts:
    outcome = search_by_shards(job, queries)
    if not (job.out / POOLS).is_file():  # else a build that was stopped right here had begun to clear up
        _write_pools(job.out, queries, read_hits(job))
        push_path(job.out / POOLS)  # first: what it was made from goes out of an object store now
    clear_up(job)
    return outcome


def _work_elsewhere(job: Job[Recipe], queries: Sequence[str]) -> WorkCounts:
    """An index that is there already answers all queries."""
    settings = job.recipe.candidates
    ids = [document.id for document in read_documents(job.inputs["documents"])]
    found = search_all(_open_index(settings, ids, job.reporter), queries, settings.k_pool, job.reporter)
    _write_pools(job.out, queries, map(_ranking, found))
    return WorkCounts()


def _write_pools(folder: Path, queries: Sequence[str], rankings: Iterable[HitColumns]) -> None:
    pools = (
        Pool(query, tuple(ranking.documents), tuple(round(score, 5) for score in ranking.scores))
        for query, ranking in zip(queries, rankings, strict=True)
    )
    write_jsonl(folder / POOLS, pools)


def _ranking(hits: Sequence[Hit]) -> HitColumns:
    return HitColumns([hit.document for hit in hits], [hit.score for hit in hits])


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
