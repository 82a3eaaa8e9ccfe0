"""A pair before it is checked."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.records.examples import Edit, Slice, Split


@dataclass(frozen=True, slots=True)
class Draft:
    """Two texts that should obey and break one proposal's constraint."""

    slice: Slice
    proposal: str
    relation: str
    split: Split
    couple: str
    pos: str
    """Id of the satisfying document, or of the passage it was made from."""
    neg: str
    pos_text: str
    neg_text: str
    cost: float
    """How unlike the two are in length and topical score; the best matched are kept first."""
    edit: Edit | None = None

    @property
    def operator(self) -> str:
        """Name of the edit, `natural` where there is none."""
        return self.edit.operator if self.edit else "natural"
