"""One suite and one retriever give one ranking folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.experiments.facts import split_facts
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.experiments.ranking.collection import RankingCollection, read_collection
from constraintsuite.experiments.ranking.measures import QueryRanking, RankingMeasure, choose_measures, parse_measures
from constraintsuite.experiments.ranking.summary import RankingRun, RankingSummary, summarise
from constraintsuite.experiments.ranking.trec import write_run
from constraintsuite.experiments.run import run_folder
from constraintsuite.metrics.resampling import DRAWS
from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import load_scorer
from constraintsuite.retrieval.base import Passages, System, load_retriever, search_all
from constraintsuite.retrieval.rerank import RerankingRetriever
from constraintsuite.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.store.download import cache_folder
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, describe, write_jsonl
from constraintsuite.store.revisions import REVISIONS

TREC, MEASURES, BY_QUERY, SYSTEM = "run.trec", "measures.json", "queries.jsonl", "system.json"
KIND = "ranking"
DEPTH = 100
"""As deep as a ranking is unless told otherwise."""


@dataclass(frozen=True)
class RankingPlan:
    """What is to be ranked, how deep, and what is measured besides the usual."""

    retriever: str
    rerank: str | None = None
    depth: int = DEPTH
    rerank_depth: int = DEPTH
    split: str | None = None
    corpus: str | None = None
    measures: Sequence[str] = ()
    seed: int = 0

    @property
    def name(self) -> str:
        """The system, as a user would write it."""
        return f"{self.retriever} > {self.rerank}" if self.rerank else self.retriever

    def open(self, passages: Passages, bench: Workbench) -> System:
        """The system over passages."""
        first = load_retriever(self.retriever, passages, bench)
        if self.rerank is None:
            return first
        return RerankingRetriever(first, load_scorer(self.rerank, bench), self.rerank_depth, passages, bench)


def ranking_folder(out: Path, suite: Path, plan: RankingPlan) -> Path:
    """Where a ranking goes: `out/<suite>.ranking/<system>`, so that it never lies among the runs of `csuite eval`.

    Another depth than usual is part of the system's name there, so that two depths can lie beside each other.
    """
    parts = [suite.resolve().name, "ranking", plan.split, Path(plan.corpus).name if plan.corpus else None]
    depths = [f"{key}={n}" for key, n in (("depth", plan.depth), ("rerank_depth", plan.rerank_depth)) if n != DEPTH]
    return run_folder(out, ".".join(part for part in parts if part), ",".join([plan.name, *depths]))


def evaluate_retrieval(suite: Path, plan: RankingPlan, out: Path, reporter: Reporter) -> Artifact:
    """Search a suite's collection for all its queries into the folder `out`; if that is done already, nothing is computed."""
    _check(plan)
    collection = read_collection(suite, plan.split, plan.corpus)
    measures = choose_measures(plan.measures, collection.queries, plan.depth)
    texts = sorted(set(collection.passages.texts))
    bench = Workbench(texts, cache_folder() / "scores", reporter)
    system = plan.open(collection.passages, bench)
    origin = _origin(collection, plan, measures, system)
    return write_once(
        out,
        origin,
        (TREC, MEASURES, BY_QUERY, SYSTEM),
        lambda folder: _write(collection, plan, measures, system, folder, reporter),
        suite=suite,
        reporter=reporter,
        events=bench.events,
    )


def load_ranking(path: Path) -> RankingSummary:
    """The figures of a finished ranking folder."""
    Artifact.open(path, KIND)
    try:
        return adapter(RankingSummary).validate_json((path / MEASURES).read_bytes())
    except ValidationError as error:
        raise UserError(f"{path / MEASURES}: {describe(error)} Was it edited, or written by another version?") from None


def _check(plan: RankingPlan) -> None:
    """Refuse wrong names before anything is read."""
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


def _origin(
    collection: RankingCollection, plan: RankingPlan, measures: Sequence[RankingMeasure], system: System
) -> ArtifactOrigin:
    settings = {
        "suite": collection.name,
        "system": system.name,
        "retriever": system.fingerprint,
        "split": plan.split,
        "depth": plan.depth,
        "measures": [str(measure) for measure in measures],
        "ir-measures": metadata.version("ir-measures"),
        "draws": DRAWS,
    }
    return ArtifactOrigin(KIND, system.name, collection.inputs, settings, plan.seed, REVISIONS["ranking"])


def _write(
    collection: RankingCollection,
    plan: RankingPlan,
    measures: Sequence[RankingMeasure],
    system: System,
    out: Path,
    reporter: Reporter,
) -> OutputCounts:
    queries = collection.queries
    found = search_all(system, [query.text for query in queries], plan.depth, reporter)
    rankings = [QueryRanking(q, [hit.document for hit in hits]) for q, hits in zip(queries, found, strict=True)]
    size = len(collection.passages.ids)
    run = RankingRun(collection.name, system.name, rankings, plan.split, size, plan.depth, collection.notes)
    results = summarise(run, measures, seed=plan.seed)
    hits = write_run(out / TREC, {q.id: hits for q, hits in zip(queries, found, strict=True)}, system.name)
    write_jsonl(out / BY_QUERY, results.queries)
    facts = split_facts(system.describe())
    write_text(out / SYSTEM, json.dumps(facts.own, indent=2, ensure_ascii=False) + "\n")
    write_text(out / MEASURES, adapter(RankingSummary).dump_json(results.summary, indent=2).decode() + "\n")
    return OutputCounts({"documents": size, "queries": len(queries), "hits": hits}, place=facts.place)
