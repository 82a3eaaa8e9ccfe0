"""HoVer (Jiang et al. 2020): claims over Wikipedia. The released file names the evidence and contains no text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, StrictInt, StrictStr

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.memory.public.base import (
    POOL,
    BenchmarkFile,
    BenchmarkItem,
    BenchmarkRecord,
    HaystackDocument,
    ReadOptions,
    merged,
    passages_of,
    read_records,
)
from constraintsuite.memory.public.hotpotqa import HotpotScorer, title_of
from constraintsuite.memory.public.measures import MetricValues

_SENTENCES = 2
_NEEDED = (
    "HoVer's file names sentences of Wikipedia and holds none. Give --corpus a JSON lines file of articles with the fields "
    "`title` and `sentences` (or `text`, as in HotpotQA's dump of abstracts of October 2017, where it is a list), split "
    "into the sentences that HoVer counts."
)


class HoverClaim(BenchmarkRecord):
    """A row of `hover_dev_release_v1.1.json`."""

    uid: StrictStr = Field(min_length=1)
    claim: StrictStr = Field(min_length=1)
    supporting_facts: tuple[tuple[StrictStr, StrictInt], ...] = ()
    label: Literal["SUPPORTED", "NOT_SUPPORTED"] | None = None
    num_hops: StrictInt | None = None
    hpqa_id: StrictStr = ""


class Article(BenchmarkRecord):
    """A row of the corpus."""

    title: StrictStr = Field(min_length=1)
    sentences: tuple[StrictStr, ...] | None = None
    text: tuple[StrictStr, ...] | None = None


def read(path: Path, options: ReadOptions) -> BenchmarkFile:
    """Read the released claims, and the articles of a corpus as one haystack."""
    options.refuse("hover", "granularity", "pooled")
    if options.corpus is None:
        raise UserError(_NEEDED)
    haystack = merged(POOL, _articles(options.corpus))
    there = {passage.name for source in haystack.sources for passage in source.passages}
    items, notes = [], []
    for where, claim in read_records(path, options.limit, HoverClaim, lambda one: one.uid):
        item = _item(where, claim)
        items.append(item)
        notes += [
            f"{where}: {item.id} rests on {fact!r}, which the corpus does not hold; it counts as missed."
            for fact in item.gold
            if fact not in there
        ]
    if not any(fact in there for item in items for fact in item.gold):
        raise UserError(f"{options.corpus}: holds no sentence that a claim of {path} rests on. {_NEEDED}")
    content = sha256_text(sha256_of(path), sha256_of(options.corpus))
    return BenchmarkFile("hover", content, tuple(items), {POOL: haystack}, HoverScorer(), tuple(notes))


def _articles(path: Path) -> Iterator[HaystackDocument]:
    for where, article in read_records(path, None, Article):
        sentences = article.sentences if article.sentences is not None else article.text
        if sentences is None:
            raise UserError(f"{where}: the article {article.title!r} has no sentences. {_NEEDED}")
        title = _composed(article.title)
        yield HaystackDocument(title, title, passages_of(title, sentences), (title,))


def _item(where: str, claim: HoverClaim) -> BenchmarkItem:
    if not claim.supporting_facts or claim.label is None:
        raise UserError(f"{where}: {claim.uid} has no evidence, as in the test file. Use train or dev.")
    gold = dict.fromkeys(f"{_composed(title)}:{number}" for title, number in claim.supporting_facts)
    return BenchmarkItem(
        id=claim.uid,
        question=claim.claim,
        haystack=POOL,
        gold=tuple(gold),
        groups={**({} if claim.num_hops is None else {"hops": str(claim.num_hops)}), "label": claim.label},
        cluster=claim.hpqa_id or claim.uid,
        answers=(claim.label,),
    )


def _composed(title: str) -> str:
    """Write accents in one form: the titles of HoVer, of its own dump and of HotpotQA's differ in it."""
    return unicodedata.normalize("NFC", title)


class HoverScorer(HotpotScorer):
    """Supporting facts as the authors' script compares them, and the HoVer score as their leaderboard defines it."""

    def names(self, names: Sequence[str]) -> Sequence[str]:
        """Write facts in one form of accents."""
        return [_composed(name) for name in names]

    def score(self, item: BenchmarkItem, ranking: Sequence[str], budget: int) -> MetricValues:
        """Add `hover_evidence` to HotpotQA's scores: the part of the HoVer score that retrieval decides."""
        evident = {k: self._evident(item, ranking[:k]) for k in self.cutoffs_within(budget)}
        return super().score(item, ranking, budget) | {f"hover_evidence@{k}": float(v) for k, v in evident.items()}

    def answered(self, item: BenchmarkItem, answer: str | None, ranking: Sequence[str], budget: int) -> MetricValues:
        """Score `label_accuracy`, and `hover_score`: the right label on evidence of every document."""
        right = answer is not None and answer.strip().upper() == item.answers[0]
        evident = self._evident(item, ranking[:budget])
        return {"label_accuracy": float(right), f"hover_score@{budget}": float(right and evident)}

    def _evident(self, item: BenchmarkItem, ranking: Sequence[str]) -> bool:
        """Whether each supporting document was found with a supporting fact.

        For a claim of k hops, the first two sentences of each of the first k + 1 documents count.
        """
        gold = set(self.names(item.gold))
        wanted = {title_of(fact) for fact in gold}
        read: dict[str, list[str]] = {}
        for fact in self.names(ranking):
            read.setdefault(title_of(fact), []).append(fact)
        hops = int(item.groups.get("hops", len(wanted)))
        first = [facts[:_SENTENCES] for facts in list(read.values())[: hops + 1]]
        return wanted == {title_of(fact) for facts in first for fact in facts if fact in gold}
