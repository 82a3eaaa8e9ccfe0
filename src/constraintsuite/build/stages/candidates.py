"""Stage 4: BM25 pools by topic and by affirmative query, with ranks and scores.

Never by the negated query: its Y would pull up what it excludes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.build.recipe import LUCENE, CandidateSettings, Recipe
from constraintsuite.build.stages.documents import read_documents
from constraintsuite.build.stages.queries import read_proposals
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import Job, Outcome
from constraintsuite.records.text import Document
from constraintsuite.retrieval.base import Retriever
from constraintsuite.retrieval.bm25 import Bm25Retriever
from constraintsuite.retrieval.lucene import LuceneRetriever
from constraintsuite.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.text.terms import TermAnalyser


@dataclass(frozen=True, slots=True)
class Pool:
    """The best documents for one query text, best first."""

    query: str
    documents: tuple[str, ...]
    scores: tuple[float, ...]


def work(job: Job[Recipe]) -> Outcome:
    """Write `pools.jsonl`: one pool for each distinct topic and affirmative query that will be built."""
    settings = job.recipe.candidates
    proposals = [p for p in read_proposals(job.inputs["queries"]) if p.status in ("build", "accepted")]
    queries = sorted({text for proposal in proposals for text in (proposal.topic, proposal.base)})
    documents = list(read_documents(job.inputs["documents"]))
    retriever = _open_retriever(settings, documents, job.reporter)

    def pools() -> Iterator[Pool]:
        with job.reporter.track("candidates", len(queries)) as advance:
            for query in queries:
                hits = retriever.search(query, settings.k_pool)
                yield Pool(query, tuple(hit.document for hit in hits), tuple(round(hit.score, 5) for hit in hits))
                advance()

    return Outcome({"pools": write_jsonl(job.out / "pools.jsonl", pools())})


def _open_retriever(settings: CandidateSettings, documents: Sequence[Document], reporter: Reporter) -> Retriever:
    ids = [document.id for document in documents]
    if settings.engine.startswith(LUCENE):
        lucene = LuceneRetriever(settings.engine.removeprefix(LUCENE), ids, k1=settings.k1, b=settings.b)
        if lucene.shared < len(ids):
            missing = len(ids) - lucene.shared
            reporter.note(
                f"{missing:,} of {len(ids):,} documents are not in the index {settings.index}: no pool holds them."
            )
        return lucene
    texts = [f"{document.title} {document.text}" for document in documents]
    return Bm25Retriever(
        ids, texts, k1=settings.k1, b=settings.b, analyser=TermAnalyser(settings.stop_list, settings.stem)
    )


def read_pools(folder: Path) -> dict[str, Pool]:
    """The pools by query text."""
    return {pool.query: pool for pool in read_jsonl(folder / "pools.jsonl", Pool)}
