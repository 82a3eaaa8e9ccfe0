"""A pair of documents as a draft, while it is checked, and after it was accepted or rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import NATURAL, SATISFYING, VIOLATING, Spans, Split
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.base import Analysis


@dataclass(frozen=True, slots=True)
class DraftDocument:
    """A text, and the passage of the corpus that it was made from."""

    source: str
    text: str
    edit: str = ""
    """How the text was edited; empty if it is as in the corpus."""
    changed: Spans = ()
    """Places where an edit, of this text or of the other one, made the two differ."""
    title: str | None = None
    """The title, if it is not the title of the passage."""


@dataclass(frozen=True, slots=True)
class PairDraft:
    """Two texts that should satisfy and violate one proposal's constraint."""

    slice: str
    proposal: str
    relation: str
    split: Split
    couple: str
    satisfying: DraftDocument
    violating: DraftDocument
    cost: float
    """How much the two differ in length and in their score for the topic; the lowest cost is kept first."""
    side: str = ""
    """Of a question with two sides, the one that the query asks for; empty for other questions."""
    further: tuple[tuple[str, DraftDocument], ...] = ()
    """More documents with their roles, each of which breaks more than the one before it."""
    is_restated: bool = False
    """Whether its example asks the query in a second wording too."""

    @property
    def roles(self) -> dict[str, DraftDocument]:
        """All documents by role: the satisfying one, the violating one, and any further ones."""
        return {SATISFYING: self.satisfying, VIOLATING: self.violating, **dict(self.further)}

    @property
    def documents(self) -> tuple[DraftDocument, ...]:
        """All documents, in the order of `roles`."""
        return tuple(self.roles.values())

    @property
    def sources(self) -> tuple[str, ...]:
        """The passages that the texts were made from."""
        return tuple(document.source for document in self.documents)

    @property
    def edit(self) -> str:
        """How its texts were edited, or `natural`."""
        return self.satisfying.edit or self.violating.edit or NATURAL

    @property
    def is_edited(self) -> bool:
        """Whether a text was edited."""
        return self.edit != NATURAL

    @property
    def unit(self) -> str:
        """The name of its couple, or one of its own."""
        return self.couple or f"{self.proposal}{self.satisfying.source}{self.violating.source}"


@dataclass(frozen=True)
class CheckedDocument:
    """One of the two documents, analysed."""

    title: str
    analysis: Analysis
    evidence: tuple[Evidence, ...]
    """Everything in the text that decides whether it obeys the constraint."""

    @property
    def text(self) -> str:
        """The text that was analysed."""
        return self.analysis.text


@dataclass(frozen=True)
class CheckedPair:
    """A draft with both final texts analysed, for the filters."""

    draft: PairDraft
    proposal: Proposal
    satisfying: CheckedDocument
    violating: CheckedDocument
    filters: FilterSettings
    pairs: PairSettings
    further: Mapping[str, CheckedDocument] = field(default_factory=dict)
    """More documents by role."""


@dataclass(frozen=True, slots=True)
class AcceptedPair:
    """A pair that passed all filters, with the constraint and the evidence in its texts."""

    draft: PairDraft
    constraint: Constraint


@dataclass(frozen=True, slots=True)
class RejectedPair:
    """A pair that was rejected, and the reason."""

    reason: str
    draft: PairDraft


def make_draft(
    name: str,
    proposal: Proposal,
    satisfying: DraftDocument,
    violating: DraftDocument,
    *,
    cost: float,
    couple: str = "",
    side: str = "",
) -> PairDraft:
    """A draft of the slice `name` for one proposal."""
    return PairDraft(name, proposal.id, proposal.relation, proposal.split, couple, satisfying, violating, cost, side)
