"""Stage 7: kept pairs become examples with ids and tags."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from constraintsuite.execution.shards import stable_hash
from constraintsuite.execution.spread import Outcome
from constraintsuite.execution.stage import Job
from constraintsuite.records.examples import (
    Constraint,
    DocumentPair,
    Example,
    ExampleDocument,
    ExampleQuery,
    Labels,
    Provenance,
    Retrieval,
)
from constraintsuite.records.text import Document
from constraintsuite.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.pairs.records import Kept
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.candidates import POOLS, Pool
from constraintsuite.suites.stages.documents import read_clusters, read_some
from constraintsuite.suites.stages.kept import read_kept
from constraintsuite.suites.stages.queries import read_questions
from constraintsuite.suites.tags import make_tags


def work(job: Job[Recipe]) -> Outcome:
    """Write `examples.jsonl`, slice by slice, in an order that depends on content alone."""
    all_kept = read_kept(job.inputs["kept"])
    proposals = read_questions(job.inputs["queries"], {kept.draft.proposal for kept in all_kept})
    wanted = {document for kept in all_kept for document in (kept.draft.pos, kept.draft.neg)}
    documents = {document.id: document for document in read_some(job.inputs["documents"], wanted)}
    asked = {text for proposal in proposals.values() for text in (proposal.topic, proposal.base)}
    found = read_jsonl(job.inputs["candidates"] / POOLS, Pool)
    pools = {pool.query: pool for pool in found if pool.query in asked}
    clusters = read_clusters(job.inputs["documents"], wanted)
    by_slice: dict[str, list[Kept]] = defaultdict(list)
    for kept in all_kept:
        by_slice[kept.draft.slice].append(kept)
    examples: list[Example] = []
    for name in sorted(by_slice):
        ordered = sorted(by_slice[name], key=_order)
        for index, kept in enumerate(ordered, 1):
            proposal = proposals[kept.draft.proposal]
            examples.append(
                _example(
                    f"{name}_{job.recipe.name}_{index:06d}", kept, proposal, documents, pools, clusters, job.recipe
                )
            )
    write_jsonl(job.out / "examples.jsonl", examples)
    return Outcome({"examples": len(examples), **dict(sorted(Counter(e.tags.difficulty for e in examples).items()))})


def _order(kept: Kept) -> tuple[int, int, str]:
    """Couples stay side by side."""
    draft = kept.draft
    return (
        stable_hash(draft.unit),
        stable_hash(draft.proposal),
        draft.operator,
    )


def _example(
    identity: str,
    kept: Kept,
    proposal: Proposal,
    documents: Mapping[str, Document],
    pools: Mapping[str, Pool],
    clusters: Mapping[str, str],
    recipe: Recipe,
) -> Example:
    draft = kept.draft
    return Example(
        id=identity,
        suite=draft.slice,
        source=Provenance(
            recipe.name, proposal.qid, draft.pos, draft.neg, _retrieval(draft.pos, draft.neg, proposal, pools, recipe)
        ),
        query=ExampleQuery(proposal.base, proposal.neg, proposal.template, proposal.topic, proposal.template_family),
        constraint=Constraint("exclude", proposal.y, proposal.marker, proposal.forms, proposal.blocked),
        docs=DocumentPair(
            ExampleDocument(
                _edited_id(draft.pos, draft.pos_text, documents), documents[draft.pos].title, draft.pos_text
            ),
            ExampleDocument(
                _edited_id(draft.neg, draft.neg_text, documents), documents[draft.neg].title, draft.neg_text
            ),
        ),
        labels=Labels(),
        tags=make_tags(kept, recipe.tags),
        domain=proposal.domain,
        relation=proposal.relation,
        split=draft.split,
        couple=draft.couple,
        clusters=tuple(sorted({clusters.get(draft.pos, draft.pos), clusters.get(draft.neg, draft.neg)})),
        analyser=recipe.analysis.analyser,
        evidence=kept.evidence,
        edit=draft.edit,
        proposal=proposal.id,
    )


def _edited_id(document: str, text: str, documents: Mapping[str, Document]) -> str:
    """A passage of the corpus keeps its id; an edited one is named after its content."""
    return document if documents[document].text == text else f"{document}~{stable_hash(text):016x}"


def _retrieval(pos: str, neg: str, proposal: Proposal, pools: Mapping[str, Pool], recipe: Recipe) -> Retrieval:
    topic, affirmative = pools[proposal.topic], pools[proposal.base]
    return Retrieval(
        method=recipe.candidates.engine.partition(":")[0],
        index=recipe.candidates.index or recipe.name,
        k_pool=recipe.candidates.k_pool,
        rank_pos_in_pool=_rank(topic, pos),
        rank_neg_in_pool=_rank(topic, neg),
        score_pos_topic=_score(topic, pos),
        score_neg_topic=_score(topic, neg),
        rank_pos_affirmative=_rank(affirmative, pos),
        rank_neg_affirmative=_rank(affirmative, neg),
        score_pos_affirmative=_score(affirmative, pos),
        score_neg_affirmative=_score(affirmative, neg),
    )


def _rank(pool: Pool, document: str) -> int | None:
    return pool.documents.index(document) + 1 if document in pool.documents else None


def _score(pool: Pool, document: str) -> float | None:
    return pool.scores[pool.documents.index(document)] if document in pool.documents else None
