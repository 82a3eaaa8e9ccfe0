"""A proposal: a topic with a constraint, its queries, and the documents that speak for it. A person may edit its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Split

Status = Literal["build", "doubtful", "accepted", "rejected"]
ATTRIBUTE = "attribute"
"""What recipes call all that a thing may have or lack, whatever word ties it to the thing."""
SLOT = "slot"
"""Relation of a Y that no word ties to the topic: a noun that parts the documents judged relevant."""


def attribute_relation(domain: str, link: str) -> str:
    """The relation of an attribute, "travel.has"."""
    return f"{domain}.{link}"


@dataclass(frozen=True, slots=True)
class Topic:
    """A set of documents of one class and the words for it: "Indian drama films"."""

    text: str
    head: str
    kind: str
    nationality: str = ""
    modifier: str = ""

    @property
    def bare(self) -> bool:
        """Whether the class noun stands alone."""
        return not self.nationality and not self.modifier


@dataclass(frozen=True, slots=True)
class Snippet:
    """A sentence that shows what a document says of Y."""

    document: str
    verdict: str
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A query and its opposite that this corpus could answer."""

    id: str
    status: Status
    topic: str
    constraint: Constraint
    """What the query asks for; its evidence is found when pairs are made."""
    query: str
    opposite: str
    relation: str
    domain: str
    template: str
    template_family: str
    split: Split
    score: float
    topic_documents: int
    satisfying: tuple[str, ...]
    """Documents that say they obey the constraint; others may obey it in silence."""
    violating: tuple[str, ...]
    """Documents that break the constraint."""
    examples_expected: int
    is_attribute: bool = False
    """Whether it is about something that a thing may have or lack, rather than the filler of a relation it states."""
    query_id: str = ""
    on_topic: tuple[str, ...] = ()
    """The documents on topic, where no class decides it (given queries)."""
    reason: str = ""
    """Why it is doubtful, or what a person said."""
    evidence: tuple[Snippet, ...] = ()
