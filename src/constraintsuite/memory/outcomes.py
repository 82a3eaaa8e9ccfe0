"""What a benchmark of memories leaves: one row a mode and item, from which every figure is computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item (a question, a case) under one mode, at one budget."""

    mode: str
    item: str
    budget: int
    values: Mapping[str, float | None]
    """By name of the metric; None where it is not defined for this item, which is not zero."""
    returned: tuple[str, ...]
    """Ids, best first."""
    groups: Mapping[str, str]
    """What tables are made by: `type`, `hops`, `fixture`, ..."""
    cluster: str
    """Items of one cluster are not independent: paraphrases of a case, questions over one document."""
