"""Evaluate a checkpoint: on the pairs of a suite, or by reranking the candidates of a retrieval set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.text import passage_of
from constraintsuite.core.statistics.pairwise import judge_all
from constraintsuite.core.store.artifact import Artifact, Manifest, read_manifest
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import STRICT_ALWAYS
from constraintsuite.corpora.registry import open_source
from constraintsuite.experiments.figures import group_figures, table_figures
from constraintsuite.experiments.load import load_suite
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.experiments.pairs import PairTable
from constraintsuite.experiments.ranking.collection import JudgedQuery, judge_queries, read_collection
from constraintsuite.experiments.ranking.measures import QueryRanking, parse_measures
from constraintsuite.experiments.ranking.summary import ranking_table
from constraintsuite.experiments.ranking.trec import read_run
from constraintsuite.experiments.scoring import pairs_of, score_pairs
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.retrieval.base import Passages, load_retriever, search_all
from constraintsuite.tuning.settings import Evaluation, RankingEvaluation, SuiteEvaluation

FIRST = "first"
"""The part with the figures of the first retriever's own order, for comparison."""
METRICS = ("accuracy", "opposite_accuracy", "paired_accuracy", "responsiveness", "tie_rate", "gap", "sensitivity")
CONTROL_METRICS = ("accuracy", "invariance", "opposite_accuracy")


class EvaluationFigure(NamedTuple):
    """One figure of a checkpoint."""

    part: str
    metric: str
    interval: Interval


Measure = Callable[[Scorer], Iterator[EvaluationFigure]]
"""Computes the figures of a checkpoint; its data are already in memory."""


class RetrievalSet(NamedTuple):
    """Passages to search, and judged queries."""

    passages: Passages
    queries: Sequence[JudgedQuery]


def open_evaluation(settings: Evaluation, reporter: Reporter) -> Measure:
    """Read the data of an evaluation; the first retriever searches a retrieval set now."""
    return open_suite(settings) if isinstance(settings, SuiteEvaluation) else open_ranking(settings, reporter)


def evaluation_input(settings: Evaluation) -> str:
    """The hash of the data of an evaluation, and of its first retriever; wrong names are refused now."""
    if isinstance(settings, SuiteEvaluation):
        return Artifact.open(settings.suite, "suite").manifest.content
    parse_measures(settings.measures)
    given = Path(settings.first)
    first = sha256_of(given) if given.is_file() else load_retriever(settings.first, Passages(), Workbench()).fingerprint
    manifest = _manifest(settings)
    return sha256_text(manifest.content if manifest else open_source(settings.ranking).fingerprint(), first)


def open_suite(settings: SuiteEvaluation) -> Measure:
    """Evaluate the pairs of a split, overall and by slice, as `csuite eval` does."""
    suite = load_suite(settings.suite)
    examples = [e for e in suite.examples if settings.split in (None, e.split)]
    controls = [e for e in suite.controls if settings.controls and settings.split in (None, e.split)]
    if not examples:
        raise UserError(f"evaluation {settings.name}: {settings.suite} has no example of the split {settings.split}.")

    def measure(scorer: Scorer) -> Iterator[EvaluationFigure]:
        scores = score_pairs(scorer, pairs_of([*examples, *controls]))
        table = PairTable("", examples, controls, judge_all(examples, controls, scores))
        groups = {OVERALL: table.main, **table.groups["slice"]}

        def shown(group: str) -> Sequence[str]:
            return METRICS if groups[group][0] < len(examples) else CONTROL_METRICS

        for part, found in table_figures(table, groups, metrics=shown)[""].items():
            for metric, interval in found.metrics.items():
                if interval.n:
                    yield EvaluationFigure(part, metric, interval)

    return measure


def open_ranking(settings: RankingEvaluation, reporter: Reporter) -> Measure:
    """Evaluate the reranking of candidates, and for comparison the order of the first retriever.

    Every checkpoint reranks the same candidates; equal scores keep the order of the first retriever.
    """
    measures = parse_measures(settings.measures)
    passages, queries = read_judged(settings)
    candidates = _candidates(settings, passages, queries, reporter)
    texts = dict(zip(*passages, strict=True))
    pairs = sorted({(query.text, texts[document]) for query in queries for document in candidates[query.id]})

    def measured(part: str, found: Mapping[str, Sequence[str]]) -> Iterator[EvaluationFigure]:
        rankings = [QueryRanking(query, found[query.id]) for query in queries]
        table = ranking_table("", rankings, measures)
        for metric, interval in group_figures(table, "", table.main).metrics.items():
            yield EvaluationFigure(part, metric, interval)

    def measure(scorer: Scorer) -> Iterator[EvaluationFigure]:
        scores = score_pairs(scorer, pairs)
        ordered = {
            query.id: sorted(candidates[query.id], key=lambda document: -scores[query.text, texts[document]])
            for query in queries
        }
        yield from measured(OVERALL, ordered)
        yield from measured(FIRST, candidates)

    return measure


def read_judged(settings: RankingEvaluation) -> RetrievalSet:
    """The passages, and the queries with a relevant one, of a source or of a suite that has a collection."""
    if _manifest(settings) is not None:
        collection = read_collection(Path(settings.ranking.source))
        passages = collection.passages
        judged: Sequence[JudgedQuery] = collection.queries
    else:
        source = open_source(settings.ranking)
        texts = {one.id: passage_of(one.title, one.text) for one in source.documents(STRICT_ALWAYS)}
        passages = Passages(list(texts), list(texts.values()))
        judged = judge_queries({query.id: query.text for query in source.queries()}, source.qrels(), ()).queries
    # Queries are resampled one by one here, also those that share documents.
    queries = [replace(query, links=frozenset()) for query in judged if query.relevant]
    if not queries:
        raise UserError(f"evaluation {settings.name}: no query of {settings.ranking.source} has a relevant document.")
    return RetrievalSet(passages, queries)


def _manifest(settings: RankingEvaluation) -> Manifest | None:
    """The manifest of the source, if it is a suite."""
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
