"""What came of an invariant, for manifests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class InvariantResult:
    """An invariant that holds of a model, or does not apply to it."""

    number: int
    """As in the specification."""
    name: str
    status: Literal["passed", "not applicable"]
    difference: float | None
    """The largest that was seen, as a share of the score where that is above 1."""
    detail: str
    """What was allowed, or why it does not apply."""
