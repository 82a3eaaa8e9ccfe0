"""Read the quantities of a text: prices, times, sizes, shares, ages, marks and counts, with unit and bounds."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.text.quantities.compounds import join_compounds, share_bounds
from constraintsuite.text.quantities.contexts import read_mark
from constraintsuite.text.quantities.described import describe
from constraintsuite.text.quantities.draft import Draft
from constraintsuite.text.quantities.numbers import NUMBER_WORDS
from constraintsuite.text.quantities.quantity import Quantity
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.things import TaggedSentence, tag_around
from constraintsuite.text.quantities.values import read_values

_OPENING = NUMBER_WORDS | {"a", "an"}
"""Words that may begin a quantity: two hours, under an hour."""


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of an English text, in order.

    A number without a unit or counted noun is no quantity, and neither is a year, a date, a model name or a label. What cannot
    be read with certainty is left out.
    """
    pieces = Pieces(text)
    drafts: list[Draft] = []
    after = 0
    for at, piece in enumerate(pieces.all):
        if at >= after and (piece.kind == "number" or piece.lower in _OPENING):
            fresh, after = _read(pieces, at, drafts)
            drafts += fresh
    drafts = share_bounds(pieces, join_compounds(pieces, drafts))
    tagged: TaggedSentence | None = None
    found: list[Quantity] = []
    for draft in drafts:
        if tagged is None or not tagged.first <= draft.first < draft.after <= tagged.after:
            tagged = tag_around(pieces, draft.number)
        quantity = _finished(pieces, draft, tagged)
        if found and _restates(pieces, found[-1], quantity):
            quantity = replace(quantity, measured=found[-1].measured, of=found[-1].of)
        found.append(quantity)
    return tuple(found)


def _read(pieces: Pieces, at: int, before: list[Draft]) -> tuple[list[Draft], int]:
    mark = read_mark(pieces, at)
    if mark is not None:
        return [
            Draft(at, at, mark.unit_at, mark.after, mark.value, mark.value, mark.unit, "rating"),
        ], mark.after
    return read_values(pieces, at, before[-1] if before else None)


def _restates(pieces: Pieces, before: Quantity, quantity: Quantity) -> bool:
    """Whether a quantity gives the one before it in another unit, or is the next of a list of sizes."""
    gap = pieces.text[before.end : quantity.start].strip()
    return gap in ("(", "[", "x", "×", "by") and before.dimension == quantity.dimension


def _finished(pieces: Pieces, draft: Draft, tagged: TaggedSentence) -> Quantity:
    dimension, measured, of = describe(pieces, draft, tagged)
    return Quantity(
        pieces.at(draft.first).start,
        pieces.at(draft.after - 1).end,
        draft.low,
        draft.high,
        draft.unit,
        dimension,
        draft.per,
        draft.bound,
        draft.approximate,
        measured,
        of,
    )
