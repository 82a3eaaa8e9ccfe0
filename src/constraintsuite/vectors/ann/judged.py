"""People's judgments as a table: rankings without vectors, exact search, and each index beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.experiments.compare import mean_difference
from constraintsuite.experiments.figures import generator
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.figures import CellValue
from constraintsuite.records.scores import Interval
from constraintsuite.records.tables import Column, Table
from constraintsuite.retrieval.topk import FloatArray, IntArray
from constraintsuite.vectors.ann.frontier import Arena
from constraintsuite.vectors.ann.per_query import QueryResults
from constraintsuite.vectors.ann.results import AnnRun, MeasuredCell, load_queries
from constraintsuite.vectors.ann.run_labels import owner_of

_SHOWN = ("rel.recall@", "rel.ndcg@", "rel.rr@")  # all others are in the cells


def judged(arena: Arena, cells: Sequence[MeasuredCell], runs: Sequence[AnnRun]) -> Table | None:
    """What was found beside what exact search finds, if there are any judgments; differences are paired by query.

    The cells are of `runs`, which are told apart.
    """
    known = [cell for cell in cells if any(name.startswith("rel.") for name in cell.figures)]
    if not known:
        return None
    names = [name for name in known[0].figures if name.startswith(_SHOWN)]
    columns = [Column("what ranks"), Column("search")]
    for name in names:
        columns += [Column(f"{name}", "share"), Column(f"{name} less exact search", "points")]
    rows = tuple(_rows(arena, known, names, runs))
    caption = (
        f"{arena.title}. Over queries with a relevant row among the vectors. Exact search with the same vectors is what an index "
        "stands in for: a difference to it, paired query by query, is the index's doing, the rest the encoder's. It can also be above 0, "
        "as a neighbour that was missed need not have been relevant. Where fewer than six queries differ, the interval allows for as many "
        "as so few queries could have missed."
    )
    return Table(f"relevance_{arena.slug}", caption, tuple(columns), rows)


def _rows(
    arena: Arena, cells: Sequence[MeasuredCell], names: Sequence[str], runs: Sequence[AnnRun]
) -> Iterator[tuple[CellValue, ...]]:
    top = load_queries(owner_of(runs, cells[0]), cells[0])
    for run in runs:
        for ranking in run.rankings:
            if ranking.content == arena.content and all(name in ranking.figures for name in names):
                found = load_queries(run, ranking)
                yield ranking.retriever, "no vectors", *_figures(ranking.figures, top, found, names)
    ceilings = [cells[0].figures[_of_ceiling(name)] for name in names]
    yield "exact search", "all compared", *(value for figure in ceilings for value in (figure, None))
    for cell in cells:
        if not cell.exact:
            found = load_queries(owner_of(runs, cell), cell)
            yield cell.point.series, cell.point.setting, *_figures(cell.figures, top, found, names)


def _figures(
    figures: Mapping[str, Interval], top: QueryResults, found: QueryResults, names: Sequence[str]
) -> Iterator[CellValue]:
    """Each figure, and its difference to exact search where both are of the same queries."""
    same = np.array_equal(top.query_row, found.query_row)
    for name in names:
        yield figures[name]
        yield _difference(found.rel[name] - top.rel[_of_ceiling(name)], found.query_row, name) if same else None


def _difference(values: FloatArray, queries: IntArray, name: str) -> Interval:
    """The mean over queries with both values; every query is for itself."""
    known = ~np.isnan(values)
    keys = map(str, queries[known].tolist())
    alone = np.arange(int(known.sum()))
    return mean_difference(values[known], alone, Metric(name=name, title=name), generator(0, keys))


def _of_ceiling(name: str) -> str:
    return name.replace("rel.", "rel.ceiling.", 1)
