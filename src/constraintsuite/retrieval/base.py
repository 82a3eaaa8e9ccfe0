"""The one contract of this folder."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Hit(NamedTuple):
    """A document found for a query; the best has rank 1."""

    document: str
    rank: int
    score: float


class Retriever(Protocol):
    """Finds the documents that match a query best."""

    name: str

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` hits, best first; equal scores in the order of document ids."""
