"""Make lists from corpora, with a bi-encoder as the teacher.

A query comes from a passage, which is the right text of its list. The other texts are near in the ranking of the teacher,
further down, and from anywhere. Scores are the teacher's similarities, or a judge's scores.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.registry import open_source
from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import SIMILARITIES, DenseScorer, load_encoder
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.text.normalization import clean
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.terms import stopwords
from constraintsuite.tuning.lists import DataContext, Exclusion, ListsBuilder, Prepared, pairs_of
from constraintsuite.tuning.settings import DistilData, ListSettings, MadeQuerySettings

_BLOCK = 8_192  # queries whose neighbours are in memory together
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SHORTEST = 3  # letters of a content word


@dataclass(frozen=True, slots=True)
class MadeQuery:
    """A query, and the passage that answers it, perhaps without the sentence that became the query."""

    query: str
    source: str
    right: frozenset[str]
    """All passages that answer it; none of them is a wrong text in its list."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A line of a file of questions: a question and the passages that answer it."""

    query: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class DistillationMaterial:
    """Passages, and queries with their sources, before anything is scored."""

    passages: Sequence[str]
    queries: Sequence[MadeQuery]
    rejects: Counter[str]


def distil(settings: DistilData, context: DataContext) -> Prepared:
    """Make the lists; the teacher compares each query with all passages."""
    material = gather(settings, context.exclusion)
    if len(material.passages) <= settings.lists.near + settings.lists.far:
        raise UserError(
            f"distil: only {len(material.passages)} passages are left, too few for lists of other passages."
        )
    teacher = load_encoder(settings.teacher, Workbench(reporter=context.reporter))
    builder = ListsBuilder(context.exclusion)
    for query, texts, scores in _teach(teacher, material, settings.lists, context):
        builder.add(query, texts, scores)
    builder.rejects.update(material.rejects)
    counts = {"passages": len(material.passages), "queries": len(material.queries)}
    prepared = builder.done(counts)
    return _judged(prepared, settings.judge, context) if settings.judge else prepared


def gather(settings: DistilData, exclusion: Exclusion) -> DistillationMaterial:
    """Read the passages and make the queries."""
    rejects: Counter[str] = Counter()
    titles: dict[str, str] = {}  # by the text of the passage
    for source in settings.sources:
        for document in open_source(source).documents(BadRows(skip=source.skip_bad_rows)):
            text = clean(document.text)
            reason = _reason(text, settings, exclusion)
            if reason is None and text in titles:
                reason = "repeated_passage"
            if reason is None:
                titles[text] = clean(document.title)
            else:
                rejects[reason] += 1
    made = [query for text, title in titles.items() for query in make_queries(text, title, settings.queries)]
    if settings.questions is not None:
        made += _questions(settings.questions)
    queries = list(join_equal(query for query in made if not _forbidden(query, exclusion, rejects)))
    rejects["repeated_query"] = len(made) - rejects["forbidden_query"] - len(queries)
    if settings.limit is not None and settings.limit < len(queries):
        chosen = keyed_random(0, "limit").sample(range(len(queries)), settings.limit)
        queries = [queries[place] for place in sorted(chosen)]
    if not queries:
        raise UserError("distil: no query could be made from the passages. Are they long enough (min_words)?")
    return DistillationMaterial(list(titles), queries, +rejects)


def _reason(text: str, settings: DistilData, exclusion: Exclusion) -> str | None:
    """Why a passage is left out, or None."""
    count = len(text.split())
    if count < settings.min_words:
        return "too_short"
    if count > settings.max_words:
        return "too_long"
    return "forbidden_passage" if exclusion.forbids(text) else None


def _questions(path: Path) -> Iterator[MadeQuery]:
    for question in read_jsonl(path, AnsweredQuestion):
        right = [clean(text) for text in question.texts]
        for text in right:
            yield MadeQuery(clean(question.query), text, frozenset(right))


def _forbidden(made: MadeQuery, exclusion: Exclusion, rejects: Counter[str]) -> bool:
    """Whether a query or its source must not be trained on: the rest of a passage may itself be a test text."""
    if not exclusion.forbids(made.query) and not exclusion.forbids(made.source):
        return False
    rejects["forbidden_query"] += 1
    return True


def _teach(
    teacher: DenseScorer, material: DistillationMaterial, settings: ListSettings, context: DataContext
) -> Iterator[tuple[str, list[str], list[float]]]:
    """Each query with its texts, the source first, and their similarities by the teacher."""
    queries, similarity, encode = material.queries, teacher.similarity, teacher.encoder.encode
    # A source without the sentence that became its query is scored, but is in no other list.
    texts = list(dict.fromkeys([*material.passages, *(made.source for made in queries)]))
    row_of = {text: row for row, text in enumerate(texts)}
    asked = {query: row for row, query in enumerate(dict.fromkeys(made.query for made in queries))}
    documents, vectors = encode(texts, "document"), encode(list(asked), "query")
    searched = documents[: len(material.passages)]
    with context.reporter.track("lists", len(queries)) as advance:
        for start in range(0, len(queries), _BLOCK):
            block = queries[start : start + _BLOCK]
            # Deeper, as passages that also answer the query are skipped.
            depth = settings.far_ranks + max(len(made.right) for made in block)
            near = top_k(vectors[[asked[made.query] for made in block]], searched, depth, similarity).rows
            for made, ranked in zip(block, near.tolist(), strict=True):
                rows = [row_of[made.source], *_draw(made, ranked, texts, len(searched), settings)]
                query = np.tile(vectors[asked[made.query]].astype(np.float64), (len(rows), 1))
                scores = SIMILARITIES[similarity](query, documents[rows].astype(np.float64)).tolist()
                yield made.query, [texts[row] for row in rows], [round(score, 6) for score in scores]
            advance(len(block))


def _draw(made: MadeQuery, ranked: Sequence[int], texts: Sequence[str], size: int, settings: ListSettings) -> list[int]:
    """Draw rows of other passages: by rank, and from anywhere."""
    rng = keyed_random(0, "list", made.query, made.source)
    others = [row for row in ranked if texts[row] not in made.right]
    near, far = others[: settings.near_ranks], others[settings.near_ranks : settings.far_ranks]
    chosen = rng.sample(near, min(settings.near, len(near))) + rng.sample(far, min(settings.far, len(far)))
    wanted = len(chosen) + settings.random
    for _ in range(20 * settings.random):
        if len(chosen) >= wanted:
            break
        row = rng.randrange(size)
        if row not in chosen and texts[row] not in made.right:
            chosen.append(row)
    return chosen


def _judged(prepared: Prepared, judge: str, context: DataContext) -> Prepared:
    """The same lists with the scores of a judge."""
    scorer = load_scorer(judge, Workbench(reporter=context.reporter))
    pairs = sorted(set(pairs_of(prepared.lists)))
    given = dict(zip(pairs, scorer.score(pairs).tolist(), strict=True))
    builder = ListsBuilder(Exclusion())
    texts = prepared.lists.texts
    for row in prepared.lists.rows:
        query, own = texts[row.query], [texts[place] for place in row.texts]
        builder.add(query, own, [round(given[query, text], 6) for text in own])
    again = builder.done(prepared.counts)
    return Prepared(again.lists, again.counts, prepared.rejects)


def make_queries(text: str, title: str, settings: MadeQuerySettings) -> Iterator[MadeQuery]:
    """All queries of a passage; they depend on its text alone, not on other passages."""
    rng = keyed_random(0, "queries", text)
    yield from _sentences(text, settings, rng)
    yield from _bags(text, settings, rng)
    if settings.titles and title.strip():
        yield MadeQuery(title.strip(), text, frozenset({text}))


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
    """Join equal queries, such as titles: each source once, and every passage that answers one of them answers all."""
    sources: dict[str, dict[str, None]] = {}
    right: dict[str, set[str]] = {}
    for made in queries:
        sources.setdefault(made.query, {})[made.source] = None
        right.setdefault(made.query, set()).update(made.right)
    for query, own in sources.items():
        joined = frozenset(right[query])
        for source in own:
            yield MadeQuery(query, source, joined)
