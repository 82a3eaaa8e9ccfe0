"""The one contract of this folder, and what a filter sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.base import Analysis
from constraintsuite.text.polarity import JudgedMention


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


Filter = Callable[[CheckedPair], str | None]
