"""A checkpoint on a plain retrieval set: it puts in order what a first retriever found, the same for every checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.experiments.figures import generator, rounded
from constraintsuite.experiments.ranking.collection import read_collection
from constraintsuite.experiments.ranking.judged import JudgedQuery, Refusing, judge_queries
from constraintsuite.experiments.ranking.measures import QueryRanking, measure_rankings, parse_measures
from constraintsuite.experiments.ranking.trec import read_run
from constraintsuite.experiments.scoring import score_pairs
from constraintsuite.metrics.resampling import estimate
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.retrieval.base import Passages, load_retriever, search_all
from constraintsuite.store.artifact import Manifest, read_manifest
from constraintsuite.store.files import sha256_of, sha256_text
from constraintsuite.tuning.curves import OVERALL
from constraintsuite.tuning.evaluation.base import EvaluationFigure
from constraintsuite.tuning.evaluation.settings import RankingEvaluation

FIRST = "first"
"""The part under which the order of the first retriever stands, for comparison."""


@dataclass(frozen=True)
class RankingMeasurement:
    """Judged queries, and the candidates of each in the order of the first retriever."""

    name: str
    queries: Sequence[JudgedQuery]
    candidates: Mapping[str, Sequence[str]]
    """Ids of documents by query id."""
    texts: Mapping[str, str]
    measures: Sequence[str]

    def figures(self, scorer: Scorer) -> Iterator[EvaluationFigure]:
        """The measures over the queries, and beside them those of the first retriever's own order."""
        pairs = {(query.text, self.texts[document]) for query in self.queries for document in self.candidates[query.id]}
        scores = score_pairs(scorer, sorted(pairs))
        yield from self._measured(
            OVERALL, [QueryRanking(query, self._ordered(query, scores)) for query in self.queries]
        )
        yield from self._measured(FIRST, [QueryRanking(query, self.candidates[query.id]) for query in self.queries])

    def _ordered(self, query: JudgedQuery, scores: Mapping[tuple[str, str], float]) -> list[str]:
        """Best first; equal scores keep the first retriever's order."""
        return sorted(self.candidates[query.id], key=lambda document: -scores[query.text, self.texts[document]])

    def _measured(self, part: str, rankings: Sequence[QueryRanking]) -> Iterator[EvaluationFigure]:
        for measure, column in measure_rankings(parse_measures(self.measures), rankings).items():
            rng = generator(0, [query.id for query in self.queries])
            (interval,) = estimate(column[:, None], [True], np.arange(len(rankings)), rng=rng)
            yield EvaluationFigure(part, str(measure), rounded(interval))


class RetrievalSet(NamedTuple):
    """What is searched, and what is asked."""

    passages: Passages
    queries: Sequence[JudgedQuery]


def open_ranking(settings: RankingEvaluation, reporter: Reporter) -> RankingMeasurement:
    """Read the collection and let the first retriever search it."""
    parse_measures(settings.measures)
    passages, queries = read_judged(settings)
    found = _candidates(settings, passages, queries, reporter)
    texts = dict(zip(*passages, strict=True))
    kept = {document: texts[document] for ids in found.values() for document in ids}
    return RankingMeasurement(settings.name, queries, found, kept, settings.measures)


def read_judged(settings: RankingEvaluation) -> RetrievalSet:
    """The passages, and the queries that have a relevant one."""
    collection = _read(settings)
    queries = [query for query in collection.queries if query.relevant]
    if not queries:
        raise UserError(f"evaluation {settings.name}: no query of {settings.ranking.source} has a relevant document.")
    return RetrievalSet(collection.passages, queries)


def ranking_input(settings: RankingEvaluation) -> str:
    """The hash of the collection and of who finds the candidates; wrong names and measures are told now."""
    parse_measures(settings.measures)
    given = Path(settings.first)
    first = sha256_of(given) if given.is_file() else load_retriever(settings.first, Passages(), Workbench()).fingerprint
    manifest = _manifest(settings)
    return sha256_text(manifest.content if manifest else open_source(settings.ranking).fingerprint(), first)


def _read(settings: RankingEvaluation) -> RetrievalSet:
    """Passages and judged queries of a source, or of a suite that has a collection."""
    if _manifest(settings) is not None:
        found = read_collection(Path(settings.ranking.source))
        return RetrievalSet(found.passages, found.queries)
    source = open_source(settings.ranking)
    texts = {document.id: f"{document.title} {document.text}".strip() for document in source.documents(Refusing())}
    judged = judge_queries({query.id: query.text for query in source.queries()}, source.qrels(), ())
    return RetrievalSet(Passages(list(texts), list(texts.values())), judged.queries)


def _manifest(settings: RankingEvaluation) -> Manifest | None:
    """Of a suite; None where the source is none."""
    folder = Path(settings.ranking.source)
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is not None and manifest.kind == "bundle":
        raise UserError(
            f"evaluation {settings.name}: {folder} is a bundle. Write it as a plain collection first: "
            f"csuite bundle export {folder} --layout jsonl --out FOLDER"
        )
    return manifest if manifest is not None and manifest.kind == "suite" else None


def _candidates(
    settings: RankingEvaluation, passages: Passages, queries: Sequence[JudgedQuery], reporter: Reporter
) -> dict[str, list[str]]:
    if Path(settings.first).is_file():
        given, known = read_run(Path(settings.first)), set(passages.ids)
        unknown = next((d for ids in given.values() for d in ids if d not in known), None)
        if unknown is not None:
            raise UserError(f"{settings.first}: the document {unknown!r} is not in {settings.ranking.source}.")
        return {query.id: list(given.get(query.id, ()))[: settings.depth] for query in queries}
    retriever = load_retriever(settings.first, passages, Workbench(sorted(set(passages.texts)), None, reporter))
    found = search_all(retriever, [query.text for query in queries], settings.depth, reporter)
    return {query.id: [hit.document for hit in hits] for query, hits in zip(queries, found, strict=True)}
