"""The one contract of this folder, and what a filter sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from constraintsuite.suites.pairs.records import Draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import FilterSettings, PairSettings
from constraintsuite.text.base import Analysis
from constraintsuite.text.polarity import Judged


@dataclass(frozen=True)
class CheckedPair:
    """A draft with both texts analysed anew: edits are judged by what the edited text says."""

    draft: Draft
    proposal: Proposal
    pos_title: str
    neg_title: str
    pos: Analysis
    neg: Analysis
    pos_mentions: tuple[Judged, ...]
    neg_mentions: tuple[Judged, ...]
    filters: FilterSettings
    pairs: PairSettings


Filter = Callable[[CheckedPair], str | None]
