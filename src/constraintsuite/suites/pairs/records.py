"""A pair of documents as a draft, while it is checked, and after it was accepted or rejected."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import NATURAL, Spans, Split
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

    @property
    def documents(self) -> tuple[DraftDocument, DraftDocument]:
        """The satisfying document, then the violating one."""
        return self.satisfying, self.violating

    @property
    def sources(self) -> tuple[str, str]:
        """The passages that the two texts were made from."""
        return self.satisfying.source, self.violating.source

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
