"""Stage 3: finds topics, splits the documents, proposes queries, and measures how suitable the corpus is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.core.store.jsonl import read_jsonl, write_json, write_jsonl
from constraintsuite.suites.corpus.corpus import Corpus, DocumentNumbers, Numbering
from constraintsuite.suites.corpus.files import read_table, write_table
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.queries.approval import apply_approval
from constraintsuite.suites.queries.attributes import (
    NounCount,
    attribute_key,
    attribute_words,
    count_nouns,
    denied_nouns,
    propose_attributes,
    select_attributes,
)
from constraintsuite.suites.queries.coverage import CorpusCoverage, measure_coverage
from constraintsuite.suites.queries.evidence import Sides, collect_sides
from constraintsuite.suites.queries.given import read_given
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal, Topic
from constraintsuite.suites.queries.relations import FactTable, RelationFacts, propose_relations, y_key, y_words
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView, view_corpus
from constraintsuite.suites.reading.records import NounsRead
from constraintsuite.suites.recipe import QuerySettings, Recipe
from constraintsuite.suites.splits import split_documents, split_ys
from constraintsuite.suites.stages.documents import CLUSTERS


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `proposals.jsonl`, the split of each document in `splits.json`, and `coverage.json`."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    rejects: Counter[str] = Counter()
    allowed = _allowed_relations(recipe, knowledge)
    corpus = Corpus(job.inputs["documents"], job.inputs["mentions"])
    view = view_corpus(corpus, knowledge, FactTable(knowledge, allowed), recipe.queries.min_topic_documents)
    gathered = view.facts.gather()
    attributes = _attributes(view, knowledge, recipe.queries) if ATTRIBUTE in allowed else {}
    entries = {y_key(key, y): y_words(found.relation, y) for key, found in gathered.items() for y in found.documents}
    entries |= {
        attribute_key(noun): attribute_words(noun, knowledge) for found in attributes.values() for noun in found
    }
    evidence = collect_sides(entries, corpus.scoped(view.topics.with_topic()))
    splits = split_documents(
        corpus.numbering.ids,
        _near_duplicates(job.inputs["documents"], corpus.numbering),
        _ties(gathered, attributes, view.topics),
        recipe.splits,
        recipe.seed,
    )
    ys = split_ys(_documents_by_y(gathered, evidence), splits, recipe.splits)
    mined: list[Proposal] = []
    if recipe.queries.mine:
        topics, numbering = view.topics, corpus.numbering
        mined += propose_relations(gathered, evidence, topics, numbering, ys, rejects)
        mined += propose_attributes(attributes, evidence, topics, numbering, ys, knowledge, recipe.queries, rejects)
    queries = list(read_jsonl(job.inputs["documents"] / "queries.jsonl", Query))
    qrels = list(read_jsonl(job.inputs["documents"] / "qrels.jsonl", Qrel))
    given = read_given(queries, qrels, view, splits, knowledge, rejects)
    coverage = measure_coverage(view, knowledge, mined, given, recipe.queries)
    settled = sorted(
        _decide_status([*given, *mined], coverage, recipe.approved), key=lambda proposal: (-proposal.score, proposal.id)
    )
    write_jsonl(job.out / "proposals.jsonl", settled)
    write_table(job.out / "splits.json", splits.entries())
    write_json(job.out / "coverage.json", coverage)
    counts = {"proposals": len(settled), "to build": sum(proposal.is_buildable for proposal in settled)}
    return WorkCounts(counts, dict(rejects))


def _attributes(view: CorpusView, knowledge: Knowledge, settings: QuerySettings) -> dict[Topic, dict[str, NounCount]]:
    """The attributes of each topic. Nouns are read twice: only those that enough documents deny are counted."""
    on_topic = view.topics.with_topic()
    denying = ((n, reading.parse(NounsRead)) for n, _, reading in view.corpus.passages() if on_topic[n])
    wanted = denied_nouns(denying, view.topics, knowledge, max(1, settings.min_denying))
    counted = (
        (n, document.parse(Document).text, reading.parse(NounsRead))
        for n, document, reading in view.corpus.passages()
        if on_topic[n]
    )
    return select_attributes(count_nouns(counted, view.topics, knowledge, wanted), settings)


def _documents_by_y(gathered: Mapping[str, RelationFacts], evidence: Mapping[str, Sides]) -> dict[str, DocumentNumbers]:
    """The documents that decide the split of each Y: those that state it as a fact, else those that affirm or deny it."""
    stating = {y_key(key, y): numbers for key, found in gathered.items() for y, numbers in found.documents.items()}
    return {
        key: stating[key] if key in stating else np.union1d(found.affirming, found.denying)
        for key, found in evidence.items()
    }


def _near_duplicates(documents: Path, numbering: Numbering) -> Iterator[tuple[int, int]]:
    for document, first in read_table(documents / CLUSTERS):
        one, other = numbering.of(document), numbering.of(first)
        if one is not None and other is not None:
            yield one, other


def _decide_status(proposals: Sequence[Proposal], coverage: CorpusCoverage, approved: Path | None) -> list[Proposal]:
    """The distinct proposals with their status: a person's choice where there is one; if the corpus is not suitable, doubtful."""
    distinct = list({proposal.id: proposal for proposal in proposals}.values())
    if approved is not None:
        return apply_approval(approved, distinct)
    if coverage.suits:
        return distinct
    return [replace(p, status="doubtful", reason=p.reason or coverage.verdict) for p in distinct]


def check_relations(settings: QuerySettings, knowledge: Knowledge) -> None:
    """Refuse a recipe that names a relation that no domain file has."""
    known = {*knowledge.relations, ATTRIBUTE}
    for name in (*settings.relations, *settings.exclude_relations):
        if name not in known:
            raise UserError(f"No relation named {name!r}. There are: {', '.join(sorted(known))}.")


def _allowed_relations(recipe: Recipe, knowledge: Knowledge) -> set[str]:
    known = {*knowledge.relations, ATTRIBUTE}
    wanted = set(recipe.queries.relations) or known
    return (wanted & known) - set(recipe.queries.exclude_relations)


def _ties(
    gathered: Mapping[str, RelationFacts], attributes: Mapping[Topic, object], topics: TopicTable
) -> Iterator[list[int]]:
    """Groups of documents that must share a split, in order of priority.

    These are (1) the documents of a topic whose attributes are asked for, (2) documents that state the same name, and
    (3) documents that share the value of a closed relation such as nationality or genre.
    """
    for topic in sorted(attributes, key=lambda topic: topic.text):
        yield topics.members(topic).tolist()
    shared = [
        (found.relation.filler == "value", documents)
        for found in gathered.values()
        for documents in found.documents.values()
    ]
    # Groups of equal length are ordered by ids: numbers are in the order of ids, and big-endian bytes compare like numbers.
    for _, documents in sorted(shared, key=lambda tie: (tie[0], len(tie[1]), tie[1].astype(">u4").tobytes())):
        yield documents.tolist()


def read_proposals(folder: Path) -> list[Proposal]:
    """The proposals of the stage, best first."""
    return list(read_jsonl(folder / "proposals.jsonl", Proposal))


def read_buildable(folder: Path) -> list[Proposal]:
    """The proposals of the stage that are built, best first."""
    return [proposal for proposal in read_proposals(folder) if proposal.is_buildable]


def read_chosen_proposals(folder: Path, wanted: Container[str]) -> dict[str, Proposal]:
    """The wanted proposals by id, without the ids of their many documents."""
    return {
        proposal.id: replace(proposal, satisfying=(), violating=(), on_topic=(), evidence=())
        for proposal in read_jsonl(folder / "proposals.jsonl", Proposal)
        if proposal.id in wanted
    }


def read_splits(folder: Path, wanted: Container[str]) -> dict[str, Split]:
    """The split of each wanted document."""
    table = read_table(folder / "splits.json")
    return {document: cast(Split, split) for document, split in table if document in wanted}
