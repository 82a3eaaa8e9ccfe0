"""Pairs of natural texts that obey all parts, and all but one; with further texts that break more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import EXPLICIT, OBEYS
from constraintsuite.suites.combined.record import AllOf
from constraintsuite.suites.combined.survey import read_grades
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from constraintsuite.suites.pairs.collect import collect_matching
from constraintsuite.suites.pairs.matching import Matching
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import PairSettings, Recipe
from constraintsuite.suites.sides.drafts import possible_pairs
from constraintsuite.suites.sides.limits import Limited


def combined_drafts(proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterator[PairDraft]:
    """Drafts for every proposal, each with one document of every lower grade that has a fitting one."""
    grades = read_grades(job.inputs["queries"])
    known = [replace(one, on_topic=tuple(name for grade in grades[one.id] for name in grade)) for one in proposals]
    matching = collect_matching(job, known, {})
    used: Counter[tuple[str, str]] = Counter()
    for proposal in sorted(proposals, key=lambda one: (one.relation, one.topic_documents, one.id)):
        yield from _draft(proposal, grades[proposal.id], matching, job.recipe.pairs, used, rejects)


def _draft(
    proposal: Proposal,
    grades: Sequence[Sequence[str]],
    matching: Matching,
    settings: PairSettings,
    used: Counter[tuple[str, str]],
    rejects: Counter[str],
) -> Iterator[PairDraft]:
    found = 0
    assert isinstance(proposal.constraint, AllOf)
    side = _side_of(proposal.constraint.broken_part)
    for cost, satisfying, violating in sorted(possible_pairs(proposal, matching, settings, rejects)):
        documents = [(proposal.relation, satisfying), (proposal.relation, violating)]
        if found == settings.max_uses_per_y:
            return
        if any(used[one] >= settings.max_uses_per_document for one in documents):
            continue
        used.update(documents)
        found += 1
        further = _choose_further(grades, (satisfying, violating), matching, settings)
        names = {f"{OBEYS}{count}": name for count, name in further.items()}
        made = {name: DraftDocument(name, matching.documents[name].text) for name in (satisfying, violating, *names.values())}  # fmt: skip
        draft = make_draft(EXPLICIT, proposal, made[satisfying], made[violating], cost=cost, side=side)
        yield replace(draft, further=tuple((role, made[name]) for role, name in names.items()), is_restated=True)


def _side_of(part: Constraint) -> str:
    """The side of a question that a part asks for. Queries tell it, so every side is balanced by itself."""
    if isinstance(part, Limited):
        return part.position
    if isinstance(part, Located):
        return part.location
    return part.listing if isinstance(part, OneOf) else ""


def _choose_further(
    grades: Sequence[Sequence[str]], pair: Sequence[str], matching: Matching, settings: PairSettings
) -> dict[int, str]:
    """By the number of parts that it obeys, the document nearest in length to the pair; the highest number first."""
    chosen: dict[int, str] = {}
    for obeyed, documents in zip(range(len(grades) - 1, -1, -1), grades, strict=True):
        others = [*pair, *chosen.values()]
        able = [
            (round(max(matching.length_ratio(name, one) for one in pair), 6), name)
            for name in documents
            if not any(matching.are_duplicates(name, one) for one in others)
        ]
        near = [one for one in able if one[0] <= settings.max_length_ratio]
        if near:
            chosen[obeyed] = min(near)[1]
    return chosen
