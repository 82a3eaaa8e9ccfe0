"""BM25 over documents in memory, through bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import ModelSettings, parse_model
from constraintsuite.retrieval.base import Deferred, Hit, Passages, System
from constraintsuite.retrieval.hiding import hidden
from constraintsuite.store.files import sha256_text
from constraintsuite.text.terms import TermAnalyser

with hidden(
    "jax", "jax.lax"
):  # bm25s starts JAX to select with it, and JAX takes most of a GPU; its scores need neither
    import bm25s


class Bm25Settings(ModelSettings):
    """The options of `bm25` as a retriever."""

    k1: float = Field(0.9, ge=0, allow_inf_nan=False, description="how slowly repeated terms saturate")
    b: float = Field(0.4, ge=0, le=1, description="how much long texts are held back")
    stop_list: Literal["lucene", "none"] = Field("lucene", description='lucene (deletes "no" and "not") or none')
    stem: bool = Field(True, description="yes or no: whether words are stemmed")


def make_bm25(text: str, passages: Passages, bench: Workbench) -> System:
    """`bm25`, with options."""
    name = parse_model(text)
    if name.argument or name.family != "bm25":  # as in bm25:words, or bm25,k1
        raise UserError(f"Retriever {text!r}: bm25 takes options only, as in bm25,k1=1.2,stop_list=none.")
    settings = name.settings(Bm25Settings)

    def build() -> Bm25Retriever:
        analyser = TermAnalyser(settings.stop_list, settings.stem)
        return Bm25Retriever(passages.ids, passages.texts, k1=settings.k1, b=settings.b, analyser=analyser)

    facts = settings.model_dump()
    return Deferred(str(name), sha256_text("bm25", repr(sorted(facts.items()))), facts, build)


class Bm25Retriever:
    """Lucene's BM25; k1, b and the analyser are recorded with every suite, since they move ranks more than an engine does."""

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        k1: float = 0.9,
        b: float = 0.4,
        analyser: TermAnalyser | None = None,
    ) -> None:
        self.name = "bm25"
        self.analyser = analyser or TermAnalyser()
        # Ties are broken by document id: the index is laid out in id order and sorting below is stable.
        order = sorted(range(len(ids)), key=lambda i: ids[i])
        self.ids = [ids[i] for i in order]
        corpus = [self.analyser.terms(texts[i]) for i in order]
        self._index = bm25s.BM25(k1=k1, b=b, method="lucene")
        self._index.index(corpus, show_progress=False)

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` documents that share a term with the query."""
        scores = self._scores(query)
        candidates = np.flatnonzero(scores > 0)  # selecting among all would drown in equal zeros
        if len(candidates) > k > 0:
            held = scores[candidates]
            candidates = candidates[held >= np.partition(held, len(held) - k)[len(held) - k]]
        best = candidates[np.argsort(-scores[candidates], kind="stable")][:k]
        return [Hit(self.ids[i], rank, float(scores[i])) for rank, i in enumerate(best.tolist(), 1)]

    def _scores(self, query: str) -> npt.NDArray[np.float32]:
        known = [term for term in self.analyser.terms(query) if term in self._index.vocab_dict]
        if not known:
            return np.zeros(len(self.ids), dtype=np.float32)
        scores: npt.NDArray[np.float32] = self._index.get_scores(known)
        return scores
