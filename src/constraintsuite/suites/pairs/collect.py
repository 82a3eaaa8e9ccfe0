"""Collects what is known of the documents of proposals, from the folders of earlier stages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.suites.corpus.files import StageRecords, walk_both
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.pairs.matching import DocumentMeasures, Matching, measure
from constraintsuite.suites.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.topics import classes_of
from constraintsuite.suites.queries.view import read_heads
from constraintsuite.suites.reading.records import DocumentReading, NounsRead, SubjectRead
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.candidates import read_pools
from constraintsuite.suites.stages.documents import read_clusters
from constraintsuite.suites.stages.queries import read_splits


def collect_matching(job: Job[Recipe], proposals: Sequence[Proposal], asked: Mapping[str, YWords]) -> Matching:
    """Collect what is known of the documents that proposals name; only these can be in a pair. Texts stay on disk.

    `asked` has the words by id of each proposal for which it matters what every document says of them.
    """
    knowledge = load_knowledge(job.recipe.analysis.domains)
    by_words: dict[YWords, list[str]] = defaultdict(list)
    for id, y_words in asked.items():
        by_words[y_words].append(id)
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
    evidence = {id: found[str(i)] for i, ids in enumerate(by_words.values()) for id in ids}
    scores, best, pooled = _collect_pools(job, proposals, measures)
    return Matching(
        documents=texts,
        readings=readings,
        measures=measures,
        clusters=read_clusters(job.inputs["documents"], measures),
        years=years,
        splits=read_splits(job.inputs["queries"], measures),
        evidence={p.id: _as_proposed(p, evidence[p.id]) for p in proposals if p.id in evidence},
        topic_scores=scores,
        best_scores=best,
        pooled=pooled,
    )


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
