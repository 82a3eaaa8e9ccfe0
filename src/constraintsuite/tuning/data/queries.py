"""Queries made from a passage: one of its sentences, a few of its content words, its title."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from constraintsuite.execution.shards import keyed_random
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.terms import stopwords
from constraintsuite.tuning.data.settings import MadeQuerySettings

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SHORTEST = 3  # letters of a content word


@dataclass(frozen=True, slots=True)
class TitledPassage:
    """A text that queries are made from."""

    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class MadeQuery:
    """A query, and the passage that answers it: as it was, or without the sentence that became the query."""

    query: str
    source: str
    right: frozenset[str]
    """All passages that answer it: none of them is another text of its list."""


def make_queries(passage: TitledPassage, settings: MadeQuerySettings) -> Iterator[MadeQuery]:
    """All queries of a passage; chance is keyed by its text, so that no other passage changes them."""
    rng = keyed_random(0, "queries", passage.text)
    yield from _sentences(passage.text, settings, rng)
    yield from _bags(passage.text, settings, rng)
    if settings.titles and passage.title.strip():
        yield MadeQuery(passage.title.strip(), passage.text, frozenset({passage.text}))


def _sentences(text: str, settings: MadeQuerySettings, rng: random.Random) -> Iterator[MadeQuery]:
    spans = split_sentences(text)
    long = [span for span in spans if len(span.of(text).split()) >= settings.min_words]
    if len(spans) < 2:
        return
    for span in rng.sample(long, min(settings.sentences, len(long))):
        left = f"{text[: span.start].rstrip()} {text[span.end :].lstrip()}".strip()
        taken = rng.random() < settings.taken_out
        yield MadeQuery(span.of(text), left if taken else text, frozenset({text}))


def _bags(text: str, settings: MadeQuerySettings, rng: random.Random) -> Iterator[MadeQuery]:
    stop = stopwords("lucene")
    found = [word for word in _WORD.findall(text) if len(word) >= _SHORTEST and word.lower() not in stop]
    words = list(dict.fromkeys(found))
    fewest, most = settings.bag_words
    if len(words) < fewest:
        return
    for _ in range(settings.bags):
        size = rng.randint(fewest, min(most, len(words)))
        chosen = sorted(rng.sample(range(len(words)), size))
        yield MadeQuery(" ".join(words[place] for place in chosen), text, frozenset({text}))


def join_equal(queries: Iterable[MadeQuery]) -> Iterator[MadeQuery]:
    """Each query with each of its sources once; what answers it somewhere answers it everywhere, as of passages of one title."""
    sources: dict[str, dict[str, None]] = {}
    right: dict[str, set[str]] = {}
    for made in queries:
        sources.setdefault(made.query, {})[made.source] = None
        right.setdefault(made.query, set()).update(made.right)
    for query, own in sources.items():
        joined = frozenset(right[query])
        for source in own:
            yield MadeQuery(query, source, joined)
