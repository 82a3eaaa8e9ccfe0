"""The record of several constraints at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from constraintsuite.core.records.constraints import Constraint, Evidence

FEWEST, MOST = 2, 5
"""How many constraints a query may state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(Constraint):
    """A query that states several constraints; evidence is that of the part that the violating document breaks."""

    type: Literal["all_of"] = "all_of"
    parts: tuple[Constraint, ...]
    """The constraints in the order of the query, each with the evidence for it in every document."""
    broken: int
    """The position of the part that the violating document breaks. It obeys all others, and so does the opposite query."""

    def __post_init__(self) -> None:
        if not FEWEST <= len(self.parts) <= MOST or any(isinstance(part, AllOf) for part in self.parts):
            raise ValueError(f"needs {FEWEST} to {MOST} parts of other types; has {[one.type for one in self.parts]}")
        if not 0 <= self.broken < len(self.parts):
            raise ValueError(f"broken is {self.broken}, and the parts are numbered from 0 to {len(self.parts) - 1}")

    @property
    def broken_part(self) -> Constraint:
        """The part that the violating document breaks."""
        return self.parts[self.broken]

    def with_evidence(self, change: Callable[[tuple[Evidence, ...]], tuple[Evidence, ...]]) -> AllOf:
        """With changed evidence of the parts, too."""
        parts = tuple(part.with_evidence(change) for part in self.parts)
        return replace(self, evidence=change(self.evidence), parts=parts)
