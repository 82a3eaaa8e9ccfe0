"""A pair before it is checked, and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import NATURAL, Spans, Split
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.base import Analysis
from constraintsuite.text.polarity import JudgedMention


@dataclass(frozen=True, slots=True)
class DraftDocument:
    """A text, and the passage of the corpus that it is or was made from."""

    source: str
    text: str
    edit: str = ""
    """How the text was edited; empty where it stands so in the corpus."""
    changed: Spans = ()
    """Where an edit of this text, or of the other one, made the two differ."""


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
    """How unlike the two are in length and topical score; the best matched are kept first."""

    @property
    def documents(self) -> tuple[DraftDocument, DraftDocument]:
        """The satisfying document, then the violating one."""
        return self.satisfying, self.violating

    @property
    def sources(self) -> tuple[str, str]:
        """The passages behind the two."""
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
        """What it goes together with: its couple, else itself."""
        return self.couple or f"{self.proposal}{self.satisfying.source}{self.violating.source}"


@dataclass(frozen=True)
class CheckedDocument:
    """One of the two documents, with what its text says."""

    title: str
    analysis: Analysis
    mentions: tuple[JudgedMention, ...]
    """Every mention of the constraint's value, with the verdict on it."""

    @property
    def text(self) -> str:
        """The text that was analysed."""
        return self.analysis.text


@dataclass(frozen=True)
class CheckedPair:
    """A draft with both texts analysed anew: edits are judged by what the edited text says."""

    draft: PairDraft
    proposal: Proposal
    satisfying: CheckedDocument
    violating: CheckedDocument
    filters: FilterSettings
    pairs: PairSettings


@dataclass(frozen=True, slots=True)
class AcceptedPair:
    """A pair that passed, with what was read in its texts."""

    draft: PairDraft
    evidence: tuple[Evidence, ...]
    cues: Mapping[str, tuple[str, ...]]
    """Negation words of each document, by its role."""


@dataclass(frozen=True, slots=True)
class RejectedPair:
    """A pair that did not pass, and why."""

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
) -> PairDraft:
    """A draft of the slice `name` for one proposal."""
    return PairDraft(name, proposal.id, proposal.relation, proposal.split, couple, satisfying, violating, cost)
