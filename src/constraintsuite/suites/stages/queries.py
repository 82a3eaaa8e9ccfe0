"""Stage 3: finds topics, splits the documents, proposes queries, and measures how suitable the corpus is."""

from __future__ import annotations

from collections import Counter, defaultdict
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
from constraintsuite.suites.invented.passage import RealPassage, read_passage
from constraintsuite.suites.queries.approval import apply_approval
from constraintsuite.suites.queries.attributes import AttributeMiner, attribute_key
from constraintsuite.suites.queries.considered import CONSIDERED, sort_considered
from constraintsuite.suites.queries.coverage import CorpusCoverage, measure_coverage
from constraintsuite.suites.queries.evidence import collect_sides
from constraintsuite.suites.queries.given import read_given
from constraintsuite.suites.queries.left_out import attribute_words
from constraintsuite.suites.queries.named_topics import NamedTopics
from constraintsuite.suites.queries.noun_counts import NounCount, count_nouns, frequent_names
from constraintsuite.suites.queries.records import ATTRIBUTE, Proposal, Topic, y_key
from constraintsuite.suites.queries.relations import (
    AskedFiller,
    FactTable,
    RelationFacts,
    find_asked,
    propose_relations,
    y_words,
)
from constraintsuite.suites.queries.roles import RolePair, propose_roles
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView, view_corpus
from constraintsuite.suites.queries.wording import MOST_EXPECTED
from constraintsuite.suites.reading.records import ClassesRead, NamesRead
from constraintsuite.suites.recipe import QuerySettings, Recipe
from constraintsuite.suites.splits import AskedSplits, split_documents, split_names
from constraintsuite.suites.stages.documents import CLUSTERS

ROLES = "roles.jsonl"


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `proposals.jsonl`, the split of each document in `splits.json`, `coverage.json` and `considered.jsonl`."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    rejects: Counter[str] = Counter()
    allowed = _allowed_relations(recipe, knowledge)
    corpus = Corpus(job.inputs["documents"], job.inputs["mentions"])
    view = view_corpus(corpus, knowledge, FactTable(knowledge, allowed), recipe.queries)
    gathered = view.facts.gather()
    miner = AttributeMiner(knowledge, recipe.queries)
    attributes = miner.select(_count_nouns(view, knowledge, recipe.queries)) if ATTRIBUTE in allowed else {}
    entries = {y_key(key, y): y_words(found.relation, y) for key, found in gathered.items() for y in found.documents}
    entries |= {
        attribute_key(noun): attribute_words(noun, knowledge) for found in attributes.values() for noun in found
    }
    evidence = collect_sides(entries, corpus.read(view.topics.with_topic()))
    stated = [(found.relation, found.documents) for found in gathered.values()]
    named = NamedTopics(stated, view.topics, recipe.queries.min_named_documents)
    fillers = list(find_asked(gathered, evidence, view.topics, named, rejects)) if recipe.queries.mine else []
    splits = split_documents(
        corpus.numbering.ids,
        _near_duplicates(job.inputs["documents"], corpus.numbering),
        _ties(gathered, [view.topics.members(topic) for topic in attributes], _narrow(fillers, view.topics)),
        _uses(gathered, fillers, attributes),
        recipe.splits,
        recipe.seed,
    )
    asked = AskedSplits(splits, split_names(_names(gathered), splits, recipe.splits))
    mined: list[Proposal] = []
    roles: list[RolePair] = []
    if recipe.queries.mine and recipe.pairs.entities == "invented":
        for pair, proposals in propose_roles(_passages(view), splits, knowledge):
            if all(one.relation in allowed for one in proposals):
                roles.append(pair)
                mined += proposals
    if recipe.queries.mine:
        mined += propose_relations(fillers, view.topics, corpus.numbering, asked, rejects)
        mined += miner.propose(attributes, evidence, view.topics, corpus.numbering, asked)
    queries = list(read_jsonl(job.inputs["documents"] / "queries.jsonl", Query))
    qrels = list(read_jsonl(job.inputs["documents"] / "qrels.jsonl", Qrel))
    given = read_given(queries, qrels, view, asked, knowledge, rejects)
    coverage = measure_coverage(view, knowledge, mined, given, recipe.queries)
    settled = sorted(
        _decide_status([*given, *mined], coverage, recipe.approved), key=lambda proposal: (-proposal.score, proposal.id)
    )
    write_jsonl(job.out / "proposals.jsonl", settled)
    write_jsonl(job.out / ROLES, roles)
    write_table(job.out / "splits.json", splits.entries())
    write_json(job.out / "coverage.json", coverage)
    write_jsonl(job.out / CONSIDERED, sort_considered(miner.considered))
    counts = {"proposals": len(settled), "to build": sum(proposal.is_buildable for proposal in settled)}
    return WorkCounts(counts, dict(rejects))


def _count_nouns(view: CorpusView, knowledge: Knowledge, settings: QuerySettings) -> dict[Topic, dict[str, NounCount]]:
    """How the documents of each topic use its nouns. Documents are read twice: only nouns of enough documents are counted."""
    on_topic = view.topics.with_topic()
    wanted = frequent_names(view.corpus.read(on_topic), view.topics, knowledge, settings.min_affirming)
    return count_nouns(view.corpus.read(on_topic), view.topics, knowledge, wanted)


def _passages(view: CorpusView) -> Iterator[tuple[RealPassage, str]]:
    """The passages that can be rewritten with invented names, and the kind of thing that each is about."""
    for _, row, reading in view.corpus.passages():
        kind = next((found.kind for found in reading.parse(ClassesRead).classes if found.strength == 3), "")
        if not kind or kind == "person":
            continue
        passage = read_passage(row.parse(Document), reading.parse(NamesRead))
        if passage is not None:
            yield passage, kind


def _names(gathered: Mapping[str, RelationFacts]) -> dict[str, DocumentNumbers]:
    """The documents that state each name; the same person or place in two relations is two entries."""
    return {
        y_key(key, y): numbers
        for key, found in gathered.items()
        if found.relation.has_names
        for y, numbers in found.documents.items()
    }


def _near_duplicates(documents: Path, numbering: Numbering) -> Iterator[tuple[int, int]]:
    for document, first in read_table(documents / CLUSTERS):
        one, other = numbering.of(document), numbering.of(first)
        if one is not None and other is not None:
            yield one, other


def _decide_status(proposals: Sequence[Proposal], coverage: CorpusCoverage, approved: Path | None) -> list[Proposal]:
    """The distinct proposals with their status: a person's choice where there is one; if the corpus is not suitable, doubtful.

    A query that was given and names its Y is built in any case: it is what somebody wants to know.
    """
    distinct = list({proposal.id: proposal for proposal in proposals}.values())
    if not coverage.suits:
        verdict = coverage.verdict
        distinct = [p if p.query_id else replace(p, status="doubtful", reason=p.reason or verdict) for p in distinct]
    return distinct if approved is None else apply_approval(approved, distinct)


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


def _narrow(fillers: Sequence[AskedFiller], topics: TopicTable) -> list[DocumentNumbers]:
    """The documents of each topic in which a closed value is asked for; a name narrows its topic to one split anyway."""
    asked = {filler.topic for filler in fillers if not filler.relation.has_names and not filler.topic.name}
    return [topics.members(topic) for topic in asked]


def _ties(gathered: Mapping[str, RelationFacts], *topics: Sequence[DocumentNumbers]) -> Iterator[list[int]]:
    """Groups of documents that share a split, in order of priority and small groups first.

    Documents that state the same name must share one, or the name would leak. Those of a topic should, if it is small: a part
    of its few documents gives far fewer couples than that part of a large topic.
    """
    for ties in (_names(gathered).values(), *topics):
        # Groups of equal length are ordered by ids: numbers are in the order of ids, and big-endian bytes compare like numbers.
        for tie in sorted(ties, key=lambda tie: (len(tie), tie.astype(">u4").tobytes())):
            yield tie.tolist()


def _uses(
    gathered: Mapping[str, RelationFacts],
    fillers: Sequence[AskedFiller],
    attributes: Mapping[Topic, Mapping[str, NounCount]],
) -> Iterator[DocumentNumbers]:
    """The documents from which examples of each kind can be made, once for each example that may be expected.

    Kinds are the relations, twice: all that is stated, of which passages with exchanged roles are made, and what is asked for.
    Two more are, for the attributes of each topic, documents that affirm one and documents that deny one. The attributes of all
    topics together are two more kinds: a small topic is in one split, and another one makes up for it.
    """
    for found in gathered.values():
        most = MOST_EXPECTED if found.relation.has_names else None
        yield np.concatenate([numbers[:most] for numbers in found.documents.values()])
    by_relation: dict[str, list[DocumentNumbers]] = defaultdict(list)
    for filler in fillers:
        by_relation[filler.relation.key].append(filler.documents[:MOST_EXPECTED])
    for documents in by_relation.values():
        yield np.concatenate(documents)
    topics = [list(nouns.values()) for _, nouns in sorted(attributes.items(), key=lambda item: item[0].text)]
    for nouns in (*topics, [count for topic in topics for count in topic]):
        for side in ("affirmed", "denied") if nouns else ():
            yield np.concatenate([np.array(getattr(count, side), dtype=np.uint32) for count in nouns])


def read_roles(folder: Path) -> list[RolePair]:
    """The pairs of passages with one name in two roles."""
    return list(read_jsonl(folder / ROLES, RolePair))


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
