"""Retrievers without vectors, such as BM25: search the texts of the same bundle, and measure by the same judgments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.download import cache_folder
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import Passages, System, load_retriever, search_all
from constraintsuite.models.retrieval.topk import IntArray
from constraintsuite.vectors.ann import metrics
from constraintsuite.vectors.ann.data import tuning_half
from constraintsuite.vectors.ann.results import FAILED, RANKINGS, FailedRanking, RetrieverBaseline, queries_file
from constraintsuite.vectors.ann.settings import AnnBenchmark
from constraintsuite.vectors.ann.staged_data import Staged, load_staged
from constraintsuite.vectors.bundle import Bundle


@dataclass(frozen=True)
class PlannedRanking:
    """One retriever on the texts of one data set."""

    key: str
    retriever: str
    staged: Staged
    bundle: Bundle
    k: tuple[int, ...]


def plan_rankings(bench: AnnBenchmark, folder: Path, staged: Mapping[str, Staged]) -> list[PlannedRanking]:
    """All rankings that the benchmark file names. Raises UserError if ir-measures is not installed."""
    planned = []
    for entry in bench.data:
        texts, data = entry.options.texts(folder), staged[entry.name]
        if texts is None:
            continue
        metrics.require_measures()
        for text in texts.retrievers:
            key = _key(load_retriever(text, Passages(), Workbench()), texts.bundle, data, bench.k)
            planned.append(PlannedRanking(key, text, data, texts.bundle, bench.k))
    return planned


def run_ranking(planned: PlannedRanking, out: Path, reporter: Reporter) -> None:
    """Search, measure and store a ranking, or its failure. The record is written last."""
    try:
        ranking, results = _rank(planned, reporter)
    except Exception as error:  # a model may raise anything
        failed = FailedRanking(
            planned.key, planned.staged.facts.name, planned.retriever, metrics.describe_failure(error)
        )
        write_json(out / FAILED / f"{planned.key}.json", failed)
        return
    metrics.write_queries(queries_file(out, planned.key), results)
    write_json(out / RANKINGS / f"{planned.key}.json", ranking)


def _rank(planned: PlannedRanking, reporter: Reporter) -> tuple[RetrieverBaseline, metrics.QueryResults]:
    facts = planned.staged.facts
    data, _ = load_staged(planned.staged)
    rows = list(planned.bundle.rows(stop=facts.rows))
    passages = Passages([row.id for row in rows], [row.passage for row in rows])
    queries = [planned.bundle.queries[row].text or "" for row in data.query_rows]
    bench = Workbench(sorted(set(passages.texts)), cache_folder() / "scores", reporter)
    system = load_retriever(planned.retriever, passages, bench)
    found = _search(system, passages, queries, max(planned.k), reporter)
    judged = {  # measures of the first ten places are the same for every larger k
        name: values
        for k in planned.k
        for name, values in metrics.relevance_values(found, data.relevance or {}, k, data.min_relevance).items()
    }
    figures = {name: metrics.mean(values) for name, values in judged.items()}
    ranking = RetrieverBaseline(planned.key, facts.name, facts.content, system.name, figures, dict(system.describe()))
    nothing = np.full(len(found), np.nan)
    return ranking, metrics.QueryResults(
        data.query_rows, tuning_half(data.queries), found, nothing, nothing, nothing, None, judged
    )


def _search(system: System, passages: Passages, queries: Sequence[str], k: int, reporter: Reporter) -> IntArray:
    """Rows of the bundle for each query, best first."""
    places = {name: row for row, name in enumerate(passages.ids)}
    found: IntArray = np.full((len(queries), k), -1, dtype=np.int64)
    for i, hits in enumerate(search_all(system, queries, k, reporter)):
        found[i, : len(hits)] = [places[hit.document] for hit in hits]
    return found


def _key(system: System, bundle: Bundle, staged: Staged, ks: Sequence[int]) -> str:
    """A hash of everything that decides a ranking: texts, judgments, retriever, and the version of ir-measures."""
    measures = f"ir-measures {metadata.version('ir-measures')}"
    shown = json.dumps([staged.facts.name, system.name, list(ks)])
    parts = (bundle.texts.manifest.content, staged.facts.content, shown, _fingerprint(system), measures)
    return sha256_text(str(REVISIONS["cell of texts"]), *parts)[:24]


def _fingerprint(system: System) -> str:
    """The fingerprint; empty if the model cannot be loaded, which then fails when it is run."""
    try:
        return system.fingerprint
    except UserError:
        return ""
