"""The protocols of retrievers, and the retriever that a string names.

Retriever strings are written as model strings are: `bm25`, `bm25,k1=1.2,b=0.75`, `dense:NAME`, `rrf:bm25+dense:NAME`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.models import SCORERS
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.retrieval import RETRIEVERS


class Hit(NamedTuple):
    """A document found for a query; the best has rank 1."""

    document: str
    rank: int
    score: float


class Passages(NamedTuple):
    """The documents that are searched: distinct ids, and their texts."""

    ids: Sequence[str] = ()
    texts: Sequence[str] = ()


class Retriever(Protocol):
    """Finds the documents that match a query best."""

    name: str

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` hits, best first; equal scores in the order of document ids."""


class System(Retriever, Protocol):
    """A retriever that can be evaluated."""

    @property
    def fingerprint(self) -> str:
        """Hash of everything that decides a ranking, except code, query and passages: settings, weights."""

    def describe(self) -> Mapping[str, ModelFact]:
        """Settings and facts that are recorded with a run."""


RetrieverFactory = Callable[[str, Passages, Workbench], System]
"""Makes a retriever from its string.

Indexes are built at the first search. Raises UserError for an unknown argument or option.
"""


class BatchRetriever(ABC):
    """The base class of retrievers that answer many queries at once."""

    @abstractmethod
    def search_all(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The hits of each query."""

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` hits of one query."""
        return self.search_all([query], k)[0]


def search_all(retriever: Retriever, queries: Sequence[str], k: int, reporter: Reporter) -> list[list[Hit]]:
    """The hits of each query, all at once if the retriever supports that."""
    if isinstance(retriever, BatchRetriever):
        return retriever.search_all(queries, k)
    found = []
    with reporter.track("search", len(queries)) as advance:
        for query in queries:
            found.append(retriever.search(query, k))
            advance()
    return found


def load_retriever(text: str, passages: Passages, bench: Workbench) -> System:
    """The retriever that a string names."""
    family = re.split("[:,]", text, maxsplit=1)[0]
    if family in SCORERS.places and family not in RETRIEVERS.places:
        raise not_a_retriever(text, f"{family} scores pairs and does not search")
    return RETRIEVERS.load(family)(text, passages, bench)


def not_a_retriever(text: str, reason: str) -> UserError:
    """The error for a model string that can only rerank."""
    return UserError(f"Retriever {text!r}: {reason}. Let another find candidates: --retriever bm25 --rerank {text}")


def not_indexed(retriever: str, ids: Collection[str], documents: int) -> UserError:
    """The error for an index of `documents` documents that holds none of the ids of a corpus."""
    return UserError(
        f"{retriever}: none of the {len(ids):,} document ids of the corpus (such as {min(ids, default='')!r}) is among the "
        f"{documents:,} of this index. Take the index of this corpus, or make one with its ids."
    )


class EngineHit(NamedTuple):
    """A document in the answer of a search engine."""

    document: str
    score: float


class TopHits(NamedTuple):
    """The best documents of an answer."""

    best: list[EngineHit]
    certain: bool
    """Whether a deeper search would begin with the same documents."""


def head_of(found: Sequence[EngineHit], asked: int, ids: Collection[str], k: int) -> TopHits:
    """The best `k` among `ids` of an answer `asked` documents deep; equal scores in the order of ids.

    They are certain once a score worse than the last one was seen; before, a smaller id may still tie with it.
    """
    own_hits = {each.document: each for each in reversed(found) if each.document in ids}
    best = sorted(own_hits.values(), key=lambda each: (-each.score, each.document))[:k]
    exhausted = len(found) < asked
    return TopHits(best, exhausted or (len(best) == k and (not best or found[-1].score < best[-1].score)))
