"""Stage 3: what to ask. Topics, splits, proposals, and a report of how well the corpus suits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from constraintsuite.build.domain import Knowledge, load_knowledge
from constraintsuite.build.queries.approval import apply_approval, doubt_all
from constraintsuite.build.queries.attributes import (
    NounCount,
    attribute_key,
    attribute_words,
    count_nouns,
    denied_nouns,
    propose_attributes,
    select_attributes,
)
from constraintsuite.build.queries.coverage import Coverage, measure_coverage
from constraintsuite.build.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.build.queries.given import read_given
from constraintsuite.build.queries.records import ATTRIBUTE, Proposal, Topic
from constraintsuite.build.queries.relations import RelationFacts, gather, propose_relations, y_key, y_words
from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.queries.view import CorpusView
from constraintsuite.build.recipe import QuerySettings, Recipe
from constraintsuite.build.splits import split_documents, split_ys
from constraintsuite.build.stages.documents import read_clusters
from constraintsuite.build.stages.mentions import read_readings
from constraintsuite.build.stages.viewing import view_corpus
from constraintsuite.errors import UserError
from constraintsuite.execution.spread import Outcome
from constraintsuite.execution.stage import Job
from constraintsuite.records.examples import Split
from constraintsuite.records.text import Qrel, Query
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, read_jsonl, write_jsonl


def work(job: Job[Recipe]) -> Outcome:
    """Write `proposals.jsonl`, `splits.json`, `coverage.json`."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    view = view_corpus(job.inputs["documents"], job.inputs["mentions"], knowledge, recipe.queries.min_topic_documents)
    clusters = read_clusters(job.inputs["documents"])
    rejects: Counter[str] = Counter()
    allowed = _allowed_relations(recipe, knowledge)
    gathered = gather(view.facts, knowledge, allowed)
    attributes = _attributes(job, view, knowledge) if ATTRIBUTE in allowed else {}
    entries = {y_key(key, y): y_words(found.relation, y) for key, found in gathered.items() for y in found.documents}
    entries |= {
        attribute_key(noun): attribute_words(noun, knowledge) for found in attributes.values() for noun in found
    }
    evidence = _evidence(entries, view)
    splits = split_documents(
        view.documents, clusters, _ties(gathered, attributes, view.topics), recipe.splits, recipe.seed
    )
    stating = {y_key(key, y): ids for key, found in gathered.items() for y, ids in found.documents.items()}
    speaking = {key: stating.get(key, found.affirming | found.denying) for key, found in evidence.items()}
    ys = split_ys(speaking, splits, recipe.splits)
    mined: list[Proposal] = []
    if recipe.queries.mine:
        mined += propose_relations(gathered, evidence, view.topics, ys, rejects)
        mined += propose_attributes(attributes, evidence, view.topics, ys, knowledge, recipe.queries, rejects)
    queries = list(read_jsonl(job.inputs["documents"] / "queries.jsonl", Query))
    qrels = list(read_jsonl(job.inputs["documents"] / "qrels.jsonl", Qrel))
    given = read_given(queries, qrels, view, splits, knowledge, rejects)
    coverage = measure_coverage(view, knowledge, mined, given, recipe.queries)
    settled = sorted(_settle([*given, *mined], coverage, recipe.approved), key=_best_first)
    write_jsonl(job.out / "proposals.jsonl", settled)
    write_text(job.out / "splits.json", json.dumps(dict(sorted(splits.items())), ensure_ascii=False, indent=0) + "\n")
    write_text(job.out / "coverage.json", adapter(Coverage).dump_json(coverage, indent=2).decode() + "\n")
    counts = {"proposals": len(settled), "to build": sum(p.status in ("build", "accepted") for p in settled)}
    return Outcome(counts, dict(rejects))


def _attributes(job: Job[Recipe], view: CorpusView, knowledge: Knowledge) -> dict[Topic, dict[str, NounCount]]:
    mentions, settings = job.inputs["mentions"], job.recipe.queries
    wanted = denied_nouns(read_readings(mentions), view.topics, knowledge, max(1, settings.min_denying))
    return select_attributes(
        count_nouns(read_readings(mentions), view.documents, view.topics, knowledge, wanted), settings
    )


def _best_first(proposal: Proposal) -> tuple[float, str]:
    return -proposal.score, proposal.id


def _settle(proposals: Sequence[Proposal], coverage: Coverage, approved: Path | None) -> list[Proposal]:
    """Which proposals are built: a person's choice where there is one, else what is sure."""
    distinct = list({proposal.id: proposal for proposal in proposals}.values())
    if approved is not None:
        return apply_approval(approved, distinct)
    return distinct if coverage.suits else doubt_all(distinct, coverage)


def check_relations(settings: QuerySettings, knowledge: Knowledge) -> None:
    """Refuse a recipe that names a relation which no domain file has."""
    known = {*knowledge.relations, ATTRIBUTE}
    for name in (*settings.relations, *settings.exclude_relations):
        if name not in known:
            raise UserError(f"No relation named {name!r}. There are: {', '.join(sorted(known))}.")


def _allowed_relations(recipe: Recipe, knowledge: Knowledge) -> set[str]:
    known = {*knowledge.relations, ATTRIBUTE}
    wanted = set(recipe.queries.relations) or known
    return (wanted & known) - set(recipe.queries.exclude_relations)


def _evidence(entries: Mapping[str, YWords], view: CorpusView) -> dict[str, Stances]:
    on_topic = (view.documents[document] for document in sorted(view.topics.topics))
    return collect_evidence(entries, on_topic, view.scopes)


def _ties(
    gathered: Mapping[str, RelationFacts], attributes: Mapping[Topic, object], topics: TopicTable
) -> list[tuple[str, ...]]:
    """Groups of documents to keep in one split, the dearest first.

    Topics whose attributes are asked for; documents that state one name; then those that share a value of a closed relation
    (nationality, genre), as far as the cap on the size of a part allows.
    """
    groups = [topics.members[topic] for topic in sorted(attributes, key=lambda topic: topic.text)]
    shared = [
        (found.relation.filler == "value", len(documents), tuple(sorted(documents)))
        for found in gathered.values()
        for documents in found.documents.values()
    ]
    return [*groups, *(documents for _, _, documents in sorted(shared))]


def read_proposals(folder: Path) -> list[Proposal]:
    """The proposals of the stage, best first."""
    return list(read_jsonl(folder / "proposals.jsonl", Proposal))


def read_splits(folder: Path) -> dict[str, Split]:
    """The split of each document."""
    splits: dict[str, Split] = json.loads((folder / "splits.json").read_text(encoding="utf-8"))
    return splits
