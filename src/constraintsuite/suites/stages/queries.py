"""Stage 3: finds topics, splits the documents, proposes queries, and measures how suitable the corpus is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast

from constraintsuite.core.execution.shard_runs import WorkCounts
from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.text import Qrel, Query
from constraintsuite.core.store.jsonl import read_jsonl, write_json, write_jsonl
from constraintsuite.suites.constraints.base import ALL_OF, load_builder
from constraintsuite.suites.corpus.corpus import Corpus, DocumentNumbers, Numbering
from constraintsuite.suites.corpus.files import read_table, write_table
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.queries.approval import apply_approval
from constraintsuite.suites.queries.considered import CONSIDERED, sort_considered
from constraintsuite.suites.queries.coverage import CorpusCoverage, measure_coverage
from constraintsuite.suites.queries.given import read_given
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.relations import FactTable, allowed_relations
from constraintsuite.suites.queries.view import view_corpus
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.splits import AskedSplits, split_documents, split_names
from constraintsuite.suites.stages.documents import CLUSTERS

EXCLUDE = "exclude"
"""The only type of which given queries are read so far."""


def work(job: Job[Recipe]) -> WorkCounts:
    """Write `proposals.jsonl`, the split of each document in `splits.json`, `coverage.json` and `considered.jsonl`."""
    recipe = job.recipe
    knowledge = load_knowledge(recipe.analysis.domains)
    rejects: Counter[str] = Counter()
    corpus = Corpus(job.inputs["documents"], job.inputs["mentions"])
    view = view_corpus(corpus, knowledge, FactTable(knowledge, allowed_relations(recipe, knowledge)), recipe.queries)
    kinds = sorted(recipe.constraints, key=lambda kind: kind == ALL_OF)
    surveys = [load_builder(kind).survey(view, knowledge, recipe, rejects) for kind in kinds]
    splits = split_documents(
        corpus.numbering.ids,
        _near_duplicates(job.inputs["documents"], corpus.numbering),
        _ties(chain.from_iterable(survey.ties for survey in surveys)),
        chain.from_iterable(survey.uses for survey in surveys),
        recipe.splits,
        recipe.seed,
    )
    names = {name: numbers for survey in surveys for name, numbers in survey.names.items()}
    asked = AskedSplits(splits, split_names(names, splits, recipe.splits))
    for kind, survey in zip(kinds, surveys, strict=True):
        view.proposed[kind] = list(survey.propose(asked, rejects))
    mined = list(chain.from_iterable(view.proposed.values()))
    queries = list(read_jsonl(job.inputs["documents"] / "queries.jsonl", Query))
    qrels = list(read_jsonl(job.inputs["documents"] / "qrels.jsonl", Qrel))
    if EXCLUDE in recipe.constraints:
        given = read_given(queries, qrels, view, asked, knowledge, rejects)
    else:
        given = []
        rejects.update(["given:read_for_exclude_only"] * len(queries))
    coverage = measure_coverage(view, knowledge, mined, given, recipe.queries)
    settled = sorted(
        _decide_status([*given, *mined], coverage, recipe.approved), key=lambda proposal: (-proposal.score, proposal.id)
    )
    write_jsonl(job.out / "proposals.jsonl", settled)
    for survey in surveys:
        survey.write(job.out)
    write_table(job.out / "splits.json", splits.entries())
    write_json(job.out / "coverage.json", coverage)
    write_jsonl(job.out / CONSIDERED, sort_considered(one for survey in surveys for one in survey.considered))
    counts = {"proposals": len(settled), "to build": sum(proposal.is_buildable for proposal in settled)}
    return WorkCounts(counts, dict(rejects))


def _near_duplicates(documents: Path, numbering: Numbering) -> Iterator[tuple[int, int]]:
    for document, first in read_table(documents / CLUSTERS):
        one, other = numbering.of(document), numbering.of(first)
        if one is not None and other is not None:
            yield one, other


def _ties(groups: Iterable[Sequence[DocumentNumbers]]) -> Iterator[list[int]]:
    """Groups of documents that share a split, list by list, and small groups first."""
    for ties in groups:
        # Groups of equal length are ordered by ids: numbers are in the order of ids, and big-endian bytes compare like numbers.
        for tie in sorted(ties, key=lambda tie: (len(tie), tie.astype(">u4").tobytes())):
            yield tie.tolist()


def _decide_status(proposals: Sequence[Proposal], coverage: CorpusCoverage, approved: Path | None) -> list[Proposal]:
    """The distinct proposals with their status: a person's choice where there is one; if the corpus is not suitable, doubtful.

    A query that was given and names its Y is built in any case: it is what somebody wants to know.
    """
    distinct = list({proposal.id: proposal for proposal in proposals}.values())
    if not coverage.suits:
        verdict = coverage.verdict
        distinct = [p if p.query_id else replace(p, status="doubtful", reason=p.reason or verdict) for p in distinct]
    return distinct if approved is None else apply_approval(approved, distinct)


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
