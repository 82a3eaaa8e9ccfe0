"""Stage 4: BM25 pools by topic and by affirmative query, with ranks and scores.

Never by the negated query: its Y would pull up what it excludes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.build.recipe import Recipe
from constraintsuite.build.stages.documents import read_documents
from constraintsuite.build.stages.queries import read_proposals
from constraintsuite.execution.stage import Job, Outcome
from constraintsuite.retrieval.bm25 import Bm25Retriever
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
    retriever = Bm25Retriever(
        [document.id for document in documents],
        [f"{document.title} {document.text}" for document in documents],
        k1=settings.k1,
        b=settings.b,
        analyser=TermAnalyser(settings.stop_list, settings.stem),
    )

    def pools() -> Iterator[Pool]:
        with job.reporter.track("candidates", len(queries)) as advance:
            for query in queries:
                hits = retriever.search(query, settings.k_pool)
                yield Pool(query, tuple(hit.document for hit in hits), tuple(round(hit.score, 5) for hit in hits))
                advance()

    return Outcome({"pools": write_jsonl(job.out / "pools.jsonl", pools())})


def read_pools(folder: Path) -> dict[str, Pool]:
    """The pools by query text."""
    return {pool.query: pool for pool in read_jsonl(folder / "pools.jsonl", Pool)}
