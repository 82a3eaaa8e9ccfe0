"""Rank the collection of a suite with a retriever into a folder, measure a run of another system, and open a ranking folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.download import cache_folder
from constraintsuite.core.store.jsonl import read_json, read_jsonl, write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.outcome_table import Item, StoredTable
from constraintsuite.experiments.output import OutputCounts, split_facts, write_once
from constraintsuite.experiments.ranking.collection import RankingCollection, read_collection, read_judged
from constraintsuite.experiments.ranking.measures import P_MRR, choose_measures, parse_measures, rankings_of
from constraintsuite.experiments.ranking.summary import (
    QueryResult,
    RankingSummary,
    group_positions,
    metric_of,
    summarise,
)
from constraintsuite.experiments.ranking.trec import name_as_judged, read_run, write_run
from constraintsuite.experiments.run import run_folder
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.retrieval.base import Passages, System, load_retriever, search_all
from constraintsuite.models.retrieval.candidates import CandidateRetriever
from constraintsuite.models.retrieval.rerank import RerankingRetriever

TREC, MEASURES, BY_QUERY, SYSTEM = "run.trec", "measures.json", "queries.jsonl", "system.json"
KIND = "ranking"
DEPTH = 100
"""The default depth of a ranking."""


@dataclass(frozen=True)
class RankingPlan:
    """The system, the depth of its rankings, and the measures in addition to the usual ones."""

    retriever: str
    rerank: str | None = None
    depth: int | None = None
    """Documents to retrieve per query; None for the usual depth, or more if the collection lists more candidates."""
    rerank_depth: int | None = None
    split: str | None = None
    corpus: str | None = None
    measures: Sequence[str] = ()
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the system, as a user writes it."""
        return f"{self.retriever} > {self.rerank}" if self.rerank else self.retriever

    def depth_in(self, collection: RankingCollection) -> int:
        """The depth of the rankings of a collection."""
        return self.depth or max(DEPTH, collection.most_candidates)

    def open(self, collection: RankingCollection, bench: Workbench) -> System:
        """Load the retriever over the passages, or over the candidates of each query, and its reranker if there is one."""
        passages = collection.passages
        first = load_retriever(self.retriever, passages, bench)
        if collection.most_candidates:
            listed = {query.text: query.candidates for query in collection.queries}
            first = CandidateRetriever(first, listed, len(passages.ids), bench.reporter)
        if self.rerank is None:
            return first
        depth = self.rerank_depth or max(DEPTH, collection.most_candidates)
        return RerankingRetriever(first, load_scorer(self.rerank, bench), depth, passages, bench)


def ranking_folder(out: Path, suite: Path, plan: RankingPlan) -> Path:
    """The folder of a ranking: `out/SUITE.ranking/SYSTEM`, apart from the runs of `csuite eval`.

    A depth other than the default is part of the folder's name.
    """
    parts = [suite.resolve().name, "ranking", plan.split, Path(plan.corpus).name if plan.corpus else None]
    depths = [
        f"{key}={n}"
        for key, n in (("depth", plan.depth), ("rerank_depth", plan.rerank_depth))
        if n not in (None, DEPTH)
    ]
    return run_folder(out, ".".join(part for part in parts if part), ",".join([plan.name, *depths]))


def evaluate_retrieval(suite: Path, plan: RankingPlan, out: Path, reporter: Reporter) -> Artifact:
    """Search a suite's collection for all its queries, and write the folder `out` unless the result is already there."""
    _check_names(plan)
    collection = read_collection(suite, plan.split, plan.corpus)
    queries, size = collection.queries, len(collection.passages.ids)
    depth = plan.depth_in(collection)
    measures = choose_measures(plan.measures, queries, depth)
    bench = Workbench(sorted(set(collection.passages.texts)), cache_folder() / "scores", reporter)
    system = plan.open(collection, bench)
    settings = {
        "suite": collection.name,
        "system": system.name,
        "retriever": system.fingerprint,
        "split": plan.split,
        "depth": depth,
        "measures": [str(measure) for measure in measures],
        "ir-measures": metadata.version("ir-measures"),
        "draws": DRAWS,
    }
    origin = ArtifactOrigin(KIND, system.name, collection.inputs, settings, plan.seed, REVISIONS["ranking"])

    def write(folder: Path) -> OutputCounts:
        found = search_all(system, [query.text for query in queries], depth, reporter)
        documents = {q.id: [hit.document for hit in hits] for q, hits in zip(queries, found, strict=True)}
        rankings = rankings_of(queries, documents)
        results = summarise(
            collection.name,
            system.name,
            rankings,
            measures,
            seed=plan.seed,
            split=plan.split,
            documents=size,
            depth=depth,
            notes=collection.notes,
        )
        hits = write_run(folder / TREC, {q.id: hits for q, hits in zip(queries, found, strict=True)}, system.name)
        write_jsonl(folder / BY_QUERY, results.queries)
        facts = split_facts(system.describe())
        write_json(folder / SYSTEM, facts.own)
        write_json(folder / MEASURES, results.summary)
        return OutputCounts({"documents": size, "queries": len(queries), "hits": hits}, place=facts.place)

    files = (TREC, MEASURES, BY_QUERY, SYSTEM)
    return write_once(out, origin, files, write, suite=suite, reporter=reporter, events=bench.events)


def load_ranking(path: Path) -> RankingSummary:
    """Read the figures of a finished ranking folder."""
    Artifact.open(path, KIND)
    return read_json(path / MEASURES, RankingSummary)


def _check_names(plan: RankingPlan) -> None:
    """Refuse all wrong names together, before anything is read."""
    faults = []
    for check in (
        lambda: load_retriever(plan.retriever, Passages(), Workbench()),
        lambda: load_scorer(plan.rerank, Workbench()) if plan.rerank else None,
        lambda: parse_measures(plan.measures),
    ):
        try:
            check()
        except UserError as error:
            faults.append(str(error))
    if faults:
        raise UserError("\n".join(dict.fromkeys(faults)))


def measure_trec_run(
    run: Path,
    measures: Sequence[str],
    *,
    qrels: Path | None = None,
    violations: Path | None = None,
    suite: Path | None = None,
    split: str | None = None,
    seed: int = 0,
) -> RankingSummary:
    """The figures of a TREC run of another system, by the judgments of a suite or of files.

    A judged query without a hit counts as having found nothing. A query without judgments is left out.
    """
    parse_measures(measures)
    if suite is not None:
        collection = read_collection(suite, split)
        queries, notes = list(collection.queries), collection.notes
    elif qrels is None or split is not None:
        raise UserError("--from-trec needs judgments. Give --qrels FILE, or a SUITE (and --split for a part of it).")
    else:
        queries, notes = read_judged(qrels, violations)
    source = (suite.resolve() if suite else qrels or run).name
    names = {name for query in queries for name in (query.id, *query.grades, *query.violating)}
    found = name_as_judged(read_run(run), names)
    unjudged = len(found.keys() - {query.id for query in queries})
    if unjudged == len(found):
        raise UserError(f"{run}: none of its {unjudged:,} queries, such as {min(found)!r}, is judged in {source}.")
    empty = sum(query.id not in found for query in queries)
    if unjudged:
        notes = (*notes, f"{unjudged:,} queries of the run are not judged and were left out.")
    if empty:
        notes = (*notes, f"{empty:,} judged queries are not in the run: nothing was found for them.")
    rankings = rankings_of(queries, found)
    chosen = choose_measures(measures, queries, None)
    return summarise(source, run.name, rankings, chosen, seed=seed, split=split, notes=notes).summary


HEADLINES = (P_MRR, "right_rank@10", "nDCG@10")
"""The metrics that rank systems: the first of these that a ranking has."""
_CONDITIONS = ("split", "depth", "ir-measures")


def open_ranking(path: Path, options: OpenOptions) -> Experiment:
    """Open a ranking folder: items are queries, and metrics are measures. `options` have no effect."""
    summary = load_ranking(path)
    manifest = read_manifest(path)
    assert manifest is not None
    rows = tuple(read_jsonl(path / BY_QUERY, QueryResult))
    metrics = {name: found for name in summary.measures if (found := metric_of(name)).average == "mean"}
    columns = {name: np.array([row.measures.get(name) for row in rows], dtype=np.float64) for name in metrics}
    headline = next((name for name in HEADLINES if name in columns and np.isfinite(columns[name]).any()), None)
    table = StoredTable(
        items=[Item(row.query, (str(row.cluster),), (str(row.cluster),)) for row in rows],
        metrics=metrics,
        values={summary.system: columns},
        groups=group_positions([row.tags for row in rows]),
        headline_metric=headline or next(iter(metrics)),
        described={row.query: {"query": row.text} for row in rows},
    )
    return Experiment(
        path=path,
        kind=KIND,
        name=summary.system,
        data=summary.suite,
        table=table,
        inputs=manifest.inputs,
        conditions={name: manifest.settings.get(name) for name in _CONDITIONS},
        watched=(table.headline_metric,),
    )
