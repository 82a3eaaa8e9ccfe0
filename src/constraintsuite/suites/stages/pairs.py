"""Stage 5: drafts pairs: couples and single pairs of the corpus, moved denials, and people in other roles."""

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
from constraintsuite.suites.pairs.couples import find_couples, natural_drafts
from constraintsuite.suites.pairs.matching import DocumentMeasures, Matching, measure
from constraintsuite.suites.pairs.moved import moved_drafts
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.pairs.roles import role_drafts
from constraintsuite.suites.pairs.singles import single_drafts
from constraintsuite.suites.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.topics import classes_of
from constraintsuite.suites.queries.view import read_heads
from constraintsuite.suites.reading.records import DocumentReading, NamesRead, NounsRead, SubjectRead
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.candidates import read_pools
from constraintsuite.suites.stages.documents import read_clusters
from constraintsuite.suites.stages.queries import read_buildable, read_roles, read_splits


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `drafts.jsonl`: every pair of texts that may become an example."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    buildable = read_buildable(job.inputs["queries"])
    proposals = [proposal for proposal in buildable if proposal.entities == "real"]
    matching = _collect_matching(job, proposals, knowledge)
    rejects: Counter[str] = Counter()
    couples = list(find_couples(proposals, matching, recipe.pairs, rejects, explicit=True))
    closed = [p for p in proposals if recipe.pairs.open_omission or not p.is_attribute]
    couples += find_couples(closed, matching, recipe.pairs, Counter(), explicit=False)
    drafts = list(natural_drafts(couples, matching))
    drafts += list(single_drafts(proposals, drafts, matching, recipe.pairs))
    attributes = [p for p in proposals if p.is_attribute]
    drafts += moved_drafts(attributes, matching)
    drafts += _draft_roles(job, buildable)
    drafts, repeated = distinct(drafts)
    rejects["repeated"] += repeated
    write_jsonl(job.out / "drafts.jsonl", drafts)
    counts = Counter(f"{draft.slice} ({draft.edit.partition(':')[0]})" for draft in drafts)
    return WorkCounts({"drafts": len(drafts), "couples": len(couples), **dict(sorted(counts.items()))}, dict(rejects))


def distinct(drafts: Sequence[PairDraft]) -> tuple[list[PairDraft], int]:
    """Drafts without repetitions, and how many were left out; a couple with a repeated draft is left out as a whole.

    Two couples can give the same edited text.
    """
    first: dict[tuple[str, str, str], PairDraft] = {}
    repeated: set[str] = set()
    for draft in drafts:
        if first.setdefault((draft.proposal, draft.satisfying.text, draft.violating.text), draft) is not draft:
            repeated.add(draft.couple)
    kept = [draft for draft in first.values() if not draft.couple or draft.couple not in repeated]
    return kept, len(drafts) - len(kept)


def _collect_matching(job: Job[Recipe], proposals: Sequence[Proposal], knowledge: Knowledge) -> Matching:
    """Collect what is known of the documents that proposals name; only these can be in a pair. Texts stay on disk."""
    by_words: dict[YWords, list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        by_words[_y_words(proposal)].append(proposal)
    heads = read_heads(job.inputs["mentions"], knowledge)
    wanted = {document for p in proposals for document in (*p.violating, *p.satisfying, *p.on_topic)}
    texts, readings = StageRecords(Document), StageRecords(DocumentReading)
    measures: dict[str, DocumentMeasures] = {}
    years: dict[str, int] = {}

    def documents() -> Iterator[tuple[Document, NounsRead]]:
        for _, row, read in walk_both(job.inputs["documents"], job.inputs["mentions"]):
            if row.id not in wanted:
                continue
            document, reading = row.parse(Document), read.parse(SubjectRead)
            texts.put(row)
            readings.put(read)
            measures[document.id] = measure(document.text, reading.scopes)
            classes = classes_of(reading.classes, heads, knowledge)
            if classes and classes[0].year is not None:
                years[document.id] = classes[0].year
            yield document, read.parse(NounsRead)

    found = collect_evidence({str(i): words for i, words in enumerate(by_words)}, documents())
    evidence = {p.id: _as_proposed(p, found[str(i)]) for i, words in enumerate(by_words) for p in by_words[words]}
    scores, best, pooled = _collect_pools(job, proposals, measures)
    return Matching(
        documents=texts,
        readings=readings,
        measures=measures,
        clusters=read_clusters(job.inputs["documents"], measures),
        years=years,
        splits=read_splits(job.inputs["queries"], measures),
        evidence=evidence,
        topic_scores=scores,
        best_scores=best,
        pooled=pooled,
    )


def _y_words(proposal: Proposal) -> YWords:
    return YWords(proposal.constraint.forms, proposal.constraint.kinds, proposal.is_attribute)


def _as_proposed(proposal: Proposal, found: Stances) -> Stances:
    """The stances with the documents of an attribute that its proposal names; others are unclear for its topic."""
    if not proposal.is_attribute:
        return found
    affirming, denying = found.affirming & set(proposal.violating), found.denying & set(proposal.satisfying)
    unclear = (found.affirming | found.denying | found.unclear) - affirming - denying
    return Stances(affirming, denying, unclear, found.mentions)


def _collect_pools(
    job: Job[Recipe], proposals: Sequence[Proposal], known: Container[str]
) -> tuple[dict[str, dict[str, float]], dict[str, float], dict[str, set[str]]]:
    """The scores of known documents by topic, the best score of each topic, and the pooled documents by proposal."""
    asking: dict[str, set[str]] = defaultdict(set)
    for proposal in proposals:
        for text in proposal.searched:
            asking[text].add(proposal.id)
    topics = {proposal.topic for proposal in proposals}
    scores: dict[str, dict[str, float]] = {}
    best: dict[str, float] = {}
    pooled = {p.id: {*p.violating, *p.satisfying} if p.by_signs else set[str]() for p in proposals}
    for pool in read_pools(job.inputs["candidates"]):
        found = {d: score for d, score in zip(pool.documents, pool.scores, strict=True) if d in known}
        if pool.query in topics:
            scores[pool.query], best[pool.query] = found, max(pool.scores, default=1.0) or 1.0
        for proposal_id in asking[pool.query]:
            pooled[proposal_id].update(found)
    return scores, best, pooled


def _draft_roles(job: Job[Recipe], proposals: Sequence[Proposal]) -> Iterator[PairDraft]:
    invented = {proposal.id: proposal for proposal in proposals if proposal.entities == "invented"}
    pairs = read_roles(job.inputs["queries"])
    documents = StageRecords.of(job.inputs["documents"], Document)
    readings = StageRecords.of(job.inputs["mentions"], NamesRead)
    return role_drafts(pairs, invented, documents, readings)


def read_drafts(folder: Path) -> list[PairDraft]:
    """The drafts of the stage."""
    return list(read_jsonl(folder / "drafts.jsonl", PairDraft))
