"""Several retrievers fused by reciprocal rank (Cormack, Clarke & Büttcher 2009), which needs no comparable scores."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.retrieval import RETRIEVERS
from constraintsuite.models.retrieval.base import BatchRetriever, Hit, Passages, System, load_retriever, search_all

RANK_OFFSET = 60
"""Added to each rank, as in the paper; larger values make the first ranks count less."""


def make_rrf(text: str, passages: Passages, bench: Workbench) -> System:
    """`rrf:A+B` of two or more retriever strings, each with its own options."""
    parts = split_names(text.removeprefix("rrf").removeprefix(":"))
    if len(parts) < 2 or not all(parts):
        raise UserError(f"Retriever {text!r}: name at least two to be fused, as in rrf:bm25+dense:NAME.")
    if len(set(parts)) < len(parts):
        raise UserError(f"Retriever {text!r}: the same retriever twice adds nothing. Name different ones.")
    return FusedRetriever(text, [load_retriever(part, passages, bench) for part in parts], bench)


def split_names(text: str) -> list[str]:
    """The parts between + signs; a + inside a folder's name or an option separates only if a retriever's name follows."""
    first, *rest = text.split("+")
    parts = [first]
    for piece in rest:
        family = re.split("[:,]", piece, maxsplit=1)[0]
        if family in RETRIEVERS.places or not re.search("[:,]", parts[-1]):
            parts.append(piece)
        else:
            parts[-1] += f"+{piece}"
    return parts


class FusedRetriever(BatchRetriever):
    """A document's score is the sum of 1 / (60 + its rank) over the retrievers that found it among their first k."""

    def __init__(self, name: str, parts: Sequence[System], bench: Workbench) -> None:
        self.name = name
        self._parts = parts
        self._bench = bench

    @property
    def fingerprint(self) -> str:
        """Hash of the parts, in order."""
        return sha256_text("rrf", str(RANK_OFFSET), *(part.fingerprint for part in self._parts))

    def search_all(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The best fused hits of each query."""
        found = [search_all(part, queries, k, self._bench.reporter) for part in self._parts]
        return [fuse(rankings, k) for rankings in zip(*found, strict=True)]

    def describe(self) -> Mapping[str, ModelFact]:
        """The rank offset, and the facts of each part."""
        return {"rank_offset": RANK_OFFSET, "parts": {part.name: part.describe() for part in self._parts}}


def fuse(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The best `k` of some rankings of the same query; equal scores in the order of document ids."""
    shares: dict[str, list[float]] = defaultdict(list)
    for hits in rankings:
        for hit in hits:
            shares[hit.document].append(1 / (RANK_OFFSET + hit.rank))
    # fsum is exact in any order, so the same ranks from different retrievers tie exactly.
    scored = sorted(((-math.fsum(each), document) for document, each in shares.items()))[:k]
    return [Hit(document, rank, -score) for rank, (score, document) in enumerate(scored, 1)]
