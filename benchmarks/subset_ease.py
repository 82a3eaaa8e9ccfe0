"""Why figures on a subset flatter: nested subsets of one collection, the same queries and judgments, BM25, more documents.

python benchmarks/subset_ease.py DOCUMENTS QUERIES QRELS --sizes 2000 --sizes 5000

All positives are in every subset; only what could be confused with them grows. The last row is the whole collection.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
import numpy as np

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.ranking import measure_queries, parse_standard
from constraintsuite.core.statistics.resampling import estimate
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.models.retrieval.bm25 import Bm25Retriever
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from tables import show

MEASURES = ("nDCG@10", "RR@10")
DEPTH = 10


@click.command()
@click.argument("documents", type=click.Path(exists=True))
@click.argument("queries", type=click.Path(exists=True))
@click.argument("qrels", type=click.Path(exists=True))
@click.option("--sizes", type=click.IntRange(min=1), multiple=True, default=(2_000, 5_000), show_default=True)
@click.option("--seed", default="42", show_default=True)
def cli(documents: str, queries: str, qrels: str, sizes: tuple[int, ...], seed: str) -> None:
    """Print what BM25 reaches on subsets of growing size, and what each size changes against the smallest."""
    source = SourceSettings(source=documents, queries=queries, qrels=qrels)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        smallest = build(source, SubsetSettings(size=min(sizes), seed=seed), Path(folder) / str(min(sizes)))
        least = measure(smallest)
        for size in (*sorted(sizes), smallest.texts.manifest.counts["population"]):
            bundle = build(source, SubsetSettings(size=size, seed=seed), Path(folder) / str(size))
            values = measure(bundle)
            figures = [interval(column) for column in values.T]
            changes = [interval(column) for column in (values - least).T]
            rows.append((f"{size:,}", bundle.id[:12], *map(shown, figures), *map(shown, changes)))
    header = ("documents", "bundle", *MEASURES, *(f"{name}, change" for name in MEASURES))
    show(f"BM25 on nested subsets, {len(least)} queries, 95 % intervals over queries", header, rows)


def build(source: SourceSettings, settings: SubsetSettings, out: Path) -> Bundle:
    return Bundle(build_subset(source, settings, out, Silent()))


def measure(bundle: Bundle) -> np.ndarray:  # (queries, measures)
    rows = list(bundle.rows())
    retriever = Bm25Retriever([row.id for row in rows], [row.passage for row in rows])
    rankings = {
        query.id: [hit.document for hit in retriever.search(query.text or "", DEPTH)] for query in bundle.queries
    }
    grades: dict[str, dict[str, int]] = {}
    for qrel in bundle.qrels():
        grades.setdefault(qrel.query, {})[qrel.document] = qrel.grade
    measures = [parse_standard(name) for name in MEASURES]
    found = measure_queries(measures, grades, rankings)
    return np.array([[found[each][query] for each in measures] for query in sorted(grades)])


def interval(values: np.ndarray) -> Interval:
    clusters = np.arange(len(values))
    (found,) = estimate(values[:, np.newaxis], [False], clusters, rng=np.random.default_rng(0))
    return found


def shown(figure: Interval) -> str:
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


if __name__ == "__main__":
    cli()
