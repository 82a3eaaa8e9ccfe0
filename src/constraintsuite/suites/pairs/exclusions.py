"""Drafts for exclusions: couples and single pairs of the corpus, moved denials, and people in other roles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.text import Document
from constraintsuite.suites.corpus.files import StageRecords
from constraintsuite.suites.pairs.collect import collect_matching
from constraintsuite.suites.pairs.couples import find_couples, natural_drafts
from constraintsuite.suites.pairs.moved import moved_drafts
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.pairs.roles import role_drafts
from constraintsuite.suites.pairs.singles import single_drafts
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.exclusions import read_roles
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.records import NamesRead
from constraintsuite.suites.recipe import Recipe


def draft_exclusions(buildable: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterator[PairDraft]:
    """All drafts for these proposals."""
    recipe = job.recipe
    proposals = [proposal for proposal in buildable if proposal.entities == "real"]
    asked = {p.id: YWords(p.constraint.forms, p.constraint.kinds, p.is_attribute) for p in proposals}
    matching = collect_matching(job, proposals, asked)
    couples = list(find_couples(proposals, matching, recipe.pairs, rejects, explicit=True))
    closed = [p for p in proposals if recipe.pairs.open_omission or not p.is_attribute]
    couples += find_couples(closed, matching, recipe.pairs, Counter(), explicit=False)
    drafts = list(natural_drafts(couples, matching))
    yield from drafts
    yield from single_drafts(proposals, drafts, matching, recipe.pairs)
    yield from moved_drafts([p for p in proposals if p.is_attribute], matching)
    yield from _draft_roles(job, buildable)


def _draft_roles(job: Job[Recipe], proposals: Sequence[Proposal]) -> Iterator[PairDraft]:
    invented = {proposal.id: proposal for proposal in proposals if proposal.entities == "invented"}
    pairs = read_roles(job.inputs["queries"])
    documents = StageRecords.of(job.inputs["documents"], Document)
    readings = StageRecords.of(job.inputs["mentions"], NamesRead)
    return role_drafts(pairs, invented, documents, readings)
