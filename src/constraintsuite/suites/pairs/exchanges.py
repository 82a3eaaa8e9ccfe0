"""A text against itself with two of its stretches exchanged: the minimal pair of a swap."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.records.examples import MINPAIRS
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.text.editing import apply_replacements, exchange


@dataclass(frozen=True)
class Swapped:
    """A text with two stretches exchanged, and where they stand before and after."""

    text: str
    original: str
    spans: tuple[tuple[int, int], ...]
    original_spans: tuple[tuple[int, int], ...]

    @property
    def token_count_preserved(self) -> bool:
        """Whether the articles could be mended without adding or dropping a word."""
        return len(self.text.split()) == len(self.original.split())


def exchange_spans(text: str, first: tuple[int, int], second: tuple[int, int]) -> Swapped | None:
    """Exchange two stretches, with articles and capitals mended; None if they overlap."""
    replacements = exchange(text, first, second)
    if replacements is None:
        return None
    edited, spans = apply_replacements(text, replacements)
    return Swapped(edited, text, spans, tuple((r.start, r.end) for r in replacements))


def swap_drafts(
    swapped: Swapped, document: str, affirmed: Proposal, denied: Proposal, *, couple: str, cost: float, natural: bool
) -> tuple[PairDraft, PairDraft]:
    """Both texts once in each role: the original affirms the Y of `affirmed` and denies that of `denied`.

    `natural`: the original stands so in the corpus, and only the other text is edited.
    """
    original = DraftDocument(document, swapped.original, "" if natural else "swap", swapped.original_spans)
    edited = DraftDocument(document, swapped.text, "swap", swapped.spans)
    return (
        make_draft(MINPAIRS, affirmed, edited, original, cost=cost, couple=couple),
        make_draft(MINPAIRS, denied, original, edited, cost=cost, couple=couple),
    )
