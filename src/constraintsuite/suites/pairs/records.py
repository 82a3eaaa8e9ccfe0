"""A pair before it is checked, and after."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.records.examples import Edit, Evidence, Slice, Split


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

    @property
    def unit(self) -> str:
        """What it goes together with: its couple, else itself."""
        return self.couple or f"{self.proposal}{self.pos}{self.neg}"


@dataclass(frozen=True, slots=True)
class Kept:
    """A pair that passed, with what each mention of Y was judged and the cues of both texts."""

    draft: Draft
    evidence: tuple[Evidence, ...]
    cues_pos: tuple[str, ...]
    cues_neg: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A pair that did not pass, and why."""

    reason: str
    draft: Draft
