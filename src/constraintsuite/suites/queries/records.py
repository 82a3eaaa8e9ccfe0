"""A proposal: one (topic, Y), its queries, and the documents that speak for it. A person may edit its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.records.examples import Split

Status = Literal["build", "doubtful", "accepted", "rejected"]
ATTRIBUTE = "attribute"
"""What recipes call all that a thing may have or lack, whatever word ties it to the thing."""
SLOT = "slot"
"""Relation of a Y that no word ties to the topic: a noun that parts the documents judged relevant."""


def attribute_relation(domain: str, link: str) -> str:
    """The relation of an attribute, "travel.has"; its dot tells it from the relations of the domain files."""
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
    """A query with and without Y that this corpus could answer."""

    id: str
    status: Status
    topic: str
    y: str
    relation: str
    domain: str
    base: str
    neg: str
    template: str
    template_family: str
    marker: str
    forms: tuple[str, ...]
    """Surface forms of Y."""
    blocked: tuple[str, ...]
    """Further words that show Y; a satisfying document holds none of them."""
    split: Split
    score: float
    topic_documents: int
    affirming: tuple[str, ...]
    denying: tuple[str, ...]
    examples_expected: int
    qid: str = ""
    on_topic: tuple[str, ...] = ()
    """The documents on topic, where no class decides it (given queries)."""
    reason: str = ""
    """Why it is doubtful, or what a person said."""
    evidence: tuple[Snippet, ...] = ()

    @property
    def is_attribute(self) -> bool:
        """Whether Y is something that a thing may have or lack, rather than the filler of a relation it states."""
        return "." in self.relation or self.relation == SLOT
