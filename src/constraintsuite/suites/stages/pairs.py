"""Stage 5: couples, singles, inserted contrasts, exchanged fillers, negated sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.corpus.files import StageRecords, walk_both
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.contrast import EditablePassage, contrast_drafts
from constraintsuite.suites.pairs.couples import (
    DocumentLength,
    Matching,
    find_couples,
    measure,
    natural_drafts,
    single_drafts,
)
from constraintsuite.suites.pairs.minimal import flip_drafts, natural_swaps
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.queries.evidence import YWords, collect_evidence
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.topics import classes_of
from constraintsuite.suites.queries.view import read_heads
from constraintsuite.suites.reading.records import DocumentReading, SubjectRead
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.candidates import POOLS, Pool
from constraintsuite.suites.stages.documents import read_clusters
from constraintsuite.suites.stages.queries import read_proposals, read_splits
from constraintsuite.text.base import Scope


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `drafts.jsonl`: every pair of texts that may become an example."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    proposals = [p for p in read_proposals(job.inputs["queries"]) if p.status in ("build", "accepted")]
    matching = _match(job, proposals, knowledge)
    rejects: Counter[str] = Counter()
    couples = list(find_couples(proposals, matching, recipe.pairs, rejects, explicit=True))
    couples += find_couples(proposals, matching, recipe.pairs, Counter(), explicit=False)
    drafts = list(natural_drafts(couples, matching))
    drafts += single_drafts(proposals, drafts, matching, recipe.pairs)
    if recipe.pairs.insert_contrasts:
        for couple in couples:
            passages = {document: _passage(document, matching) for document in (couple.a, couple.b)}
            drafts += contrast_drafts(couple, passages, knowledge)
    attributes = [p for p in proposals if p.is_attribute]
    drafts += natural_swaps(attributes, matching)
    if recipe.pairs.flips:
        drafts += flip_drafts(attributes, matching)
    drafts, repeated = distinct(drafts)
    rejects["repeated"] += repeated
    write_jsonl(job.out / "drafts.jsonl", drafts)
    counts = Counter(f"{draft.slice} ({draft.edit.partition(':')[0]})" for draft in drafts)
    return WorkCounts({"drafts": len(drafts), "couples": len(couples), **dict(sorted(counts.items()))}, dict(rejects))


def distinct(drafts: Sequence[PairDraft]) -> tuple[list[PairDraft], int]:
    """Drafts without repetitions (two couples can give one edited text), and how many were dropped; couples go whole."""
    seen: set[tuple[str, str, str]] = set()
    repeated: set[str] = set()
    kept = []
    for draft in drafts:
        key = (draft.proposal, draft.satisfying.text, draft.violating.text)
        if key not in seen:
            kept.append(draft)
        elif draft.couple:
            repeated.add(draft.couple)
        seen.add(key)
    whole = [draft for draft in kept if draft.couple not in repeated]
    return whole, len(drafts) - len(whole)


def _match(job: Job[Recipe], proposals: Sequence[Proposal], knowledge: Knowledge) -> Matching:
    """What is known of the documents that proposals name; no other can stand in a pair. Texts are left where they are."""
    by_words: dict[YWords, list[str]] = defaultdict(list)
    for proposal in proposals:
        by_words[YWords(proposal.constraint.forms, proposal.constraint.kinds)].append(proposal.id)
    heads = read_heads(job.inputs["mentions"], knowledge)
    wanted = {document for p in proposals for document in (*p.violating, *p.satisfying, *p.on_topic)}
    texts, readings = StageRecords(Document), StageRecords(DocumentReading)
    measures: dict[str, DocumentLength] = {}
    years: dict[str, int] = {}
    people: set[str] = set()

    def documents() -> Iterator[tuple[Document, Sequence[Scope]]]:
        for _, row, read in walk_both(job.inputs["documents"], job.inputs["mentions"]):
            if row.id not in wanted:
                continue
            document, reading = row.parse(Document), read.parse(SubjectRead)
            texts.put(row)
            readings.put(read)
            measures[document.id] = measure(document.text)
            classes = classes_of(reading.classes, heads, knowledge)
            if classes and classes[0].year is not None:
                years[document.id] = classes[0].year
            if any(one.kind == "person" for one in classes):
                people.add(document.id)
            yield document, reading.scopes

    found = collect_evidence({str(i): words for i, words in enumerate(by_words)}, documents())
    scores, best, pooled = _read_pools(job, proposals, measures)
    return Matching(
        documents=texts,
        readings=readings,
        measures=measures,
        people=people,
        clusters=read_clusters(job.inputs["documents"], measures),
        years=years,
        splits=read_splits(job.inputs["queries"], measures),
        evidence={proposal: found[str(i)] for i, ids in enumerate(by_words.values()) for proposal in ids},
        topic_scores=scores,
        best_scores=best,
        pooled=pooled,
    )


def _read_pools(
    job: Job[Recipe], proposals: Sequence[Proposal], known: Container[str]
) -> tuple[dict[str, dict[str, float]], dict[str, float], dict[str, set[str]]]:
    """The scores of known documents by topic, the best score of each topic, and the documents by proposal.

    Pool by pool, since all of them are many.
    """
    asking: dict[str, set[str]] = defaultdict(set)
    for proposal in proposals:
        asking[proposal.topic].add(proposal.id)
        asking[proposal.opposite].add(proposal.id)
    topics = {proposal.topic for proposal in proposals}
    scores: dict[str, dict[str, float]] = {}
    best: dict[str, float] = {}
    pooled: dict[str, set[str]] = {proposal.id: set() for proposal in proposals}
    for pool in read_jsonl(job.inputs["candidates"] / POOLS, Pool):
        held = {d: score for d, score in zip(pool.documents, pool.scores, strict=True) if d in known}
        if pool.query in topics:
            scores[pool.query], best[pool.query] = held, max(pool.scores, default=1.0) or 1.0
        for proposal_id in asking[pool.query]:
            pooled[proposal_id].update(held)
    return scores, best, pooled


def _passage(document: str, matching: Matching) -> EditablePassage:
    """What an edit needs to know of a document; of a person a new sentence speaks as the text does."""
    text, reading = matching.documents[document], matching.readings[document]
    subject = reading.pronoun if document in matching.people else "It"
    return EditablePassage(text.text, text.title, reading.facts, reading.sentences, subject)


def read_drafts(folder: Path) -> list[PairDraft]:
    """The drafts of the stage."""
    return list(read_jsonl(folder / "drafts.jsonl", PairDraft))
