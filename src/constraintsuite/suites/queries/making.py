"""A proposal from its parts: how it is asked, by which words its Y shows, and which documents say what."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Split
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Proposal, Status
from constraintsuite.suites.queries.wording import QueryWording

MOST_EXPECTED = 6
"""Examples that one proposal is expected to give at most; uses of a Y are capped."""


@dataclass(frozen=True, slots=True)
class MinedValue:
    """A Y that parts the documents of a topic."""

    relation: str
    domain: str
    words: YWords
    split: Split
    topic_documents: int
    affirming: Collection[str]
    denying: Collection[str]
    partners: int
    """Documents that could stand against an affirming one."""
    is_attribute: bool


def make_proposal(
    key: tuple[str, ...], question: QueryWording, finding: MinedValue, *, status: Status, score: float, reason: str = ""
) -> Proposal:
    """The proposal to ask `question`; `key` is what tells it from all others."""
    return Proposal(
        id=f"p{stable_hash(*key):016x}",
        status=status,
        topic=question.topic,
        constraint=Exclude(value=question.y, cue=question.cue, forms=finding.words.forms, kinds=finding.words.blocked),
        query=question.query,
        opposite=question.opposite,
        relation=finding.relation,
        domain=finding.domain,
        template=question.template,
        template_family=question.template_family,
        split=finding.split,
        score=score,
        topic_documents=finding.topic_documents,
        satisfying=tuple(sorted(finding.denying)),
        violating=tuple(sorted(finding.affirming)),
        examples_expected=min(len(finding.affirming), finding.partners, MOST_EXPECTED),
        is_attribute=finding.is_attribute,
        reason=reason,
    )
