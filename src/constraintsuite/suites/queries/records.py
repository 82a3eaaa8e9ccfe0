"""A proposal: a topic with a constraint, a query and its opposite, and the documents for it. A person may edit its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Split

Status = Literal["build", "doubtful", "accepted", "rejected"]
ATTRIBUTE = "attribute"
"""The relation of all attributes in a recipe: anything that a thing may have or lack."""
SLOT = "slot"
"""The relation of a Y that was found in documents judged relevant to a given query."""


def attribute_relation(domain: str, link: str) -> str:
    """The relation of an attribute, such as `travel.has`."""
    return f"{domain}.{link}"


@dataclass(frozen=True, slots=True)
class Topic:
    """The words for a set of documents of one class, such as "Indian drama films"."""

    text: str
    head: str
    kind: str
    nationality: str = ""
    modifier: str = ""

    @property
    def bare(self) -> bool:
        """Whether it is the class noun alone."""
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
    """What the query asks for; evidence is added when pairs are made."""
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
    """Documents that deny Y. Others may satisfy the constraint because they do not mention Y."""
    violating: tuple[str, ...]
    """Documents that affirm Y."""
    examples_expected: int
    is_attribute: bool = False
    """Whether Y is something that a thing may have or lack, and not the filler of a relation that documents state."""
    query_id: str = ""
    on_topic: tuple[str, ...] = ()
    """The documents on topic, for given queries, where no class decides that."""
    reason: str = ""
    """Why it is doubtful, or what a person said."""
    evidence: tuple[Snippet, ...] = ()

    @property
    def is_buildable(self) -> bool:
        """Whether examples are made from it."""
        return self.status in ("build", "accepted")
