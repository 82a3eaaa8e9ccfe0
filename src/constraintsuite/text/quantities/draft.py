"""A quantity while it is being read, with places among the pieces of the text."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.text.quantities.quantity import QuantityBound


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of a quantity before its sentence is searched for what it measures."""

    first: int
    """The first place, with the words that limit it."""
    number: int
    """The place of its number."""
    unit_at: int
    """The place after the number, where the unit begins."""
    after: int
    """The place after its last piece."""
    low: float | None
    high: float | None
    unit: str
    dimension: str
    per: str = ""
    bound: QuantityBound = ""
    approximate: bool = False
    hyphen: bool = False
