"""A proposal: a topic with a constraint, a query and its opposite, and the documents for it. A person may edit its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Split

Status = Literal["build", "doubtful", "accepted", "rejected"]
Entities = Literal["real", "invented"]
ATTRIBUTE = "attribute"
"""The relation of all attributes in a recipe: anything that a thing may have or lack."""
SLOT = "slot"
"""The relation of a Y that was found in documents judged relevant to a given query."""


def attribute_relation(domain: str, link: str) -> str:
    """The relation of an attribute, such as `travel.has`."""
    return f"{domain}.{link}"


def y_key(relation: str, y: str) -> str:
    """The key of a filler in tables of Y."""
    return f"{relation}\x1f{y}"


def relation_of(key: str) -> str:
    """The relation in the key of a filler."""
    return key.partition("\x1f")[0]


@dataclass(frozen=True, slots=True)
class Topic:
    """The words for a set of documents of one class, such as "Indian drama films"."""

    text: str
    head: str
    kind: str
    nationality: str = ""
    modifier: str = ""
    decade: str = ""
    """Such as `1950s`."""
    name: str = ""
    """The person, organisation or place that its documents share, as in "Gary Cooper films"."""
    relation: str = ""
    """The relation of its documents to that name."""

    @property
    def bare(self) -> bool:
        """Whether it is the class noun alone."""
        return not (self.nationality or self.modifier or self.decade or self.name)


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask for a topic without Y, and with it."""

    query: str
    opposite: str
    template: str
    template_family: str
    cue: str
    """The words of the query that exclude Y."""


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
    is_name: bool = False
    """Whether Y is the name of a person, an organisation or a place; a name is asked for in one split only."""
    by_signs: bool = False
    """Whether signs of its class put a document on the topic, so that it need not have the words of the topic."""
    query_id: str = ""
    on_topic: tuple[str, ...] = ()
    """The documents on topic, for given queries, where no class decides that."""
    entities: Entities = "real"
    """Whether its texts have the names of the corpus, or invented ones."""
    reason: str = ""
    """Why it is doubtful, or what a person said."""
    evidence: tuple[Snippet, ...] = ()
    other_wordings: tuple[Wording, ...] = ()
    """More ways to ask the same, besides `query` and `opposite`; its examples take turns."""

    @property
    def wordings(self) -> tuple[Wording, ...]:
        """All ways to ask it, the first one first."""
        first = Wording(self.query, self.opposite, self.template, self.template_family, self.constraint.cue)
        return first, *self.other_wordings

    @property
    def searched(self) -> tuple[str, ...]:
        """What candidates are searched with: the topic, and the opposite of every wording."""
        return self.topic, *(wording.opposite for wording in self.wordings)

    @property
    def y_kind(self) -> str:
        """What Y is: a `name`, an `attribute` or a `value` of a closed list."""
        return "name" if self.is_name else "attribute" if self.is_attribute else "value"

    @property
    def is_buildable(self) -> bool:
        """Whether examples are made from it."""
        return self.status in ("build", "accepted")
