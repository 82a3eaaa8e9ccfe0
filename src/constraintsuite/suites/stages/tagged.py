"""Stage 7: turns kept pairs into examples with ids and tags."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    Preference,
    QueryRole,
    Retrieval,
)
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.pairs.records import AcceptedPair, DraftDocument, PairDraft
from constraintsuite.suites.queries.records import Proposal, Wording
from constraintsuite.suites.queries.wording import choose_wordings
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.candidates import Pool, read_pools
from constraintsuite.suites.stages.documents import read_clusters, read_some
from constraintsuite.suites.stages.kept import read_kept
from constraintsuite.suites.stages.queries import read_chosen_proposals
from constraintsuite.suites.tags import Y_KIND, make_tags


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `examples.jsonl`, slice by slice, in an order that depends on content alone."""
    all_kept = read_kept(job.inputs["kept"])
    proposals = read_chosen_proposals(job.inputs["queries"], {kept.draft.proposal for kept in all_kept})
    wanted = {source for kept in all_kept for source in kept.draft.sources}
    documents = {document.id: document for document in read_some(job.inputs["documents"], wanted)}
    wordings = _choose_wordings(all_kept, proposals)
    asked = {proposal.topic for proposal in proposals.values()} | {one.opposite for one in wordings.values()}
    pools = {pool.query: pool for pool in read_pools(job.inputs["candidates"]) if pool.query in asked}
    clusters = read_clusters(job.inputs["documents"], wanted)
    by_name: dict[str, list[AcceptedPair]] = defaultdict(list)
    for kept in all_kept:
        by_name[f"{kept.constraint.type}_{kept.draft.slice}"].append(kept)
    examples: list[Example] = []
    for name in sorted(by_name):
        for index, kept in enumerate(sorted(by_name[name], key=_order), 1):
            proposal = proposals[kept.draft.proposal]
            wording = wordings[kept.draft.unit, proposal.id]
            identity = f"{name}_{job.recipe.name}_{index:06d}"
            examples.append(_example(identity, kept, proposal, wording, documents, pools, clusters, job.recipe))
    write_jsonl(job.out / "examples.jsonl", examples)
    return WorkCounts(
        {"examples": len(examples), **dict(sorted(Counter(e.tags["difficulty"] for e in examples).items()))}
    )


def _choose_wordings(
    all_kept: Iterable[AcceptedPair], proposals: Mapping[str, Proposal]
) -> dict[tuple[str, str], Wording]:
    asked: dict[str, set[str]] = defaultdict(set)
    for kept in all_kept:
        asked[kept.draft.unit].add(kept.draft.proposal)
    return choose_wordings((unit, [proposals[id] for id in sorted(ids)]) for unit, ids in asked.items())


def _order(kept: AcceptedPair) -> tuple[int, int, str]:
    """By hashes, with the drafts of a couple next to each other."""
    return stable_hash(kept.draft.unit), stable_hash(kept.draft.proposal), kept.draft.edit


def _example(
    identity: str,
    kept: AcceptedPair,
    proposal: Proposal,
    wording: Wording,
    documents: Mapping[str, Document],
    pools: Mapping[str, Pool],
    clusters: Mapping[str, str],
    recipe: Recipe,
) -> Example:
    draft = kept.draft
    texts: dict[QueryRole, str] = {"topic": proposal.topic, "opposite": wording.opposite}
    restated = _restate(proposal, wording) if draft.is_restated else None
    asked = {name: pools[text] for name, text in texts.items() if text in pools}  # none for invented names

    def document(role: str, made: DraftDocument) -> ExampleDocument:
        passage = documents[made.source]
        return ExampleDocument(
            role=role,
            id=_edited_id(made, passage),
            title=passage.title if made.title is None else made.title,
            text=made.text,
            source=made.source,
            pools={name: _place(pool, made.source) for name, pool in asked.items()},
            edit=made.edit,
            changed=made.changed,
        )

    return Example(
        id=identity,
        slice=draft.slice,
        constraint=replace(kept.constraint, cue=wording.cue),
        query=wording.query,
        opposite=wording.opposite,
        topic=proposal.topic,
        restated=restated,
        documents=tuple(document(role, made) for role, made in draft.roles.items()),
        preferences=_preferences(draft, restated),
        source=ExampleSource(recipe.name, proposal.query_id, _retrieval(recipe)),
        split=draft.split,
        couple=draft.couple,
        clusters=tuple(sorted({clusters.get(source, source) for source in draft.sources})),
        domain=proposal.domain,
        relation=proposal.relation,
        template=wording.template,
        template_family=wording.template_family,
        tags={**make_tags(kept, recipe.tags), "entities": proposal.entities, Y_KIND: proposal.y_kind},
        analyser=recipe.analysis.analyser,
        proposal=proposal.id,
    )


def _restate(proposal: Proposal, wording: Wording) -> str | None:
    """The query in another wording, if there is one: wordings come in pairs that differ most."""
    wordings = proposal.wordings
    beside = wordings.index(wording) ^ 1
    return wordings[beside].query if beside < len(wordings) else None


def _preferences(draft: PairDraft, restated_query: str | None) -> tuple[Preference, ...]:
    """Those of a pair; further documents come below all that break less."""
    restated = [RESTATED_PREFERENCE] if restated_query is not None else []
    graded = [Preference("query", *pair) for pair in combinations(draft.roles, 2) if draft.further]
    return (QUERY_PREFERENCE, OPPOSITE_PREFERENCE, *restated, *(one for one in graded if one.is_graded))


def _edited_id(made: DraftDocument, passage: Document) -> str:
    """The id of the passage; an edited text has a hash of the text after it."""
    return made.source if passage.text == made.text else f"{made.source}~{stable_hash(made.text):016x}"


def _retrieval(recipe: Recipe) -> Retrieval:
    pools = recipe.candidates
    return Retrieval(pools.engine.partition(":")[0], pools.index or recipe.name, pools.k_pool)


def _place(pool: Pool, document: str) -> PoolPlace:
    if document not in pool.documents:
        return PoolPlace(None)
    at = pool.documents.index(document)
    return PoolPlace(at + 1, pool.scores[at])
