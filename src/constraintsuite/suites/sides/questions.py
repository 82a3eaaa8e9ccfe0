"""A question that parts the documents of a topic in two: those that obey a constraint, and those that obey its opposite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import Split
from constraintsuite.suites.corpus.corpus import DocumentNumbers, Numbering
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.records import Proposal, Topic, Wording
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.wording import MOST_EXPECTED
from constraintsuite.suites.splits import AskedSplits


@dataclass(frozen=True)
class Side:
    """What asks for one side of a question, and the documents on it."""

    constraint: Constraint
    wordings: tuple[Wording, ...]
    """Ways to ask for this side; the opposite of each asks for the other side."""
    documents: DocumentNumbers
    """Those nearest to the border first."""


@dataclass(frozen=True)
class TwoSidedQuestion:
    """A topic, what is asked of its documents, and both sides."""

    topic: Topic
    relation: str
    """What is asked: examples of one relation are counted and balanced together."""
    sides: tuple[Side, Side]
    name: str = ""
    """A name that it asks about, which is asked about in one split only."""
    document: int = 0
    """The document that the name belongs to."""

    @property
    def name_key(self) -> str:
        """The key of its name among the names of a corpus."""
        return f"{self.relation}\x1f{self.name}"

    is_attribute: bool = False
    """Whether it is about what a thing may have or lack, and not about a relation that documents state."""
    doubt: str = ""
    """Why a person should say whether somebody would ask it; empty if nobody needs to."""

    @property
    def key(self) -> str:
        """A name of its own."""
        constraint = self.sides[0].constraint
        return f"{constraint.type}\x1f{self.relation}\x1f{self.topic.text}\x1f{constraint.value}\x1f{constraint.cue}"


@dataclass(frozen=True)
class SidesSurvey:
    """The two-sided questions of one constraint type in a corpus."""

    questions: Sequence[TwoSidedQuestion]
    topics: TopicTable
    numbering: Numbering
    considered: Sequence[ConsideredAttribute] = ()
    ties: tuple[Sequence[DocumentNumbers], ...] = ()

    @property
    def names(self) -> Mapping[str, DocumentNumbers]:
        """The document of each name, in whose split it is asked about."""
        return {one.name_key: np.array([one.document], dtype=np.uint32) for one in self.questions if one.name}

    @property
    def uses(self) -> Iterator[DocumentNumbers]:
        """For each relation, the documents nearest to the borders of its questions, on each side, and those of its names."""
        found: dict[tuple[str, int], list[DocumentNumbers]] = defaultdict(list)
        for question in self.questions:
            for number, side in enumerate(question.sides if not question.doubt else ()):
                found[question.relation, number].append(side.documents[:MOST_EXPECTED])
            if question.name:
                found[question.relation, 2].append(np.array([question.document], dtype=np.uint32))
        return (np.concatenate(found[key]) for key in sorted(found))

    def propose(self, splits: AskedSplits, rejects: Counter[str]) -> Iterator[Proposal]:
        """Two proposals for each question and each split that has documents on both sides: one asks for each side."""
        for question in self.questions:
            one, other = question.sides
            dealt = False
            asked = question.name_key if question.name else question.key
            for split, (own, others) in splits.deal(asked, one.documents, other.documents):
                if len(others):
                    dealt = True
                    yield self._proposal(question, one, split, own, others)
                    yield self._proposal(question, other, split, others, own)
            rejects[f"query:{one.constraint.type}_on_one_side_of_every_split"] += not dealt

    def write(self, out: Path) -> None:
        """Nothing: the proposals say everything."""

    def _proposal(
        self, question: TwoSidedQuestion, side: Side, split: Split, own: DocumentNumbers, others: DocumentNumbers
    ) -> Proposal:
        first, *more = side.wordings
        topic, constraint = question.topic, side.constraint
        return Proposal(
            id=f"p{stable_hash(question.key, constraint.cue, split):016x}",
            status="build" if topic.kind and not question.doubt else "doubtful",
            topic=topic.text,
            constraint=constraint,
            query=first.query,
            opposite=first.opposite,
            relation=question.relation,
            domain=self.topics.domain(topic),
            template=first.template,
            template_family=first.template_family,
            split=split,
            score=float(min(len(own), len(others))),
            topic_documents=self.topics.sizes[topic],
            satisfying=self.numbering.names(own.tolist()),
            violating=self.numbering.names(others.tolist()),
            examples_expected=min(len(own), len(others), MOST_EXPECTED),
            is_name=bool(question.name),
            is_attribute=question.is_attribute,
            by_signs=self.topics.is_by_signs(topic),
            reason=question.doubt
            if topic.kind
            else f"No domain file knows {topic.head!r} as a class; the corpus suggests it.",
            other_wordings=tuple(more),
        )


def nearest(documents: Iterable[tuple[float, int]]) -> DocumentNumbers:
    """Documents with their distances from the border, as the nearest first."""
    return np.array([number for _, number in sorted(documents)], dtype=np.uint32)


def in_any_order(documents: Iterable[int]) -> DocumentNumbers:
    """Documents that are all equally near, by a hash: in the order of their ids, the smaller side would have larger ids."""
    return nearest((float(stable_hash(str(number))), number) for number in documents)
