"""The page of a ranking, which `csuite retrieve-eval` measured on the collection of a suite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.pages.sections.reproduction import how_made
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import CellValue, UnitValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section
from constraintsuite.core.records.tables import Column, ItemColumns, Table, TableRows, columns, tabulate
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.experiments.outcome_table import pick_grouping
from constraintsuite.experiments.ranking.measures import P_MRR
from constraintsuite.experiments.ranking.run import BY_QUERY, KIND, SYSTEM, load_ranking
from constraintsuite.experiments.ranking.summary import QueryResult, RankingSummary, metric_of

SHOWN_BY_GROUP = ("nDCG@10", "R@100", "right_rank@10", P_MRR)
"""The measures in a table of groups, if none are chosen."""
SHOWN_QUERIES = 50
"""Queries that the page lists; the folder has all of them."""
_ABOUT = "Each figure has its 95 % interval and the number of queries that have a value. A violation is a violating document found."
_ABOUT_GROUPS = "The same measures over the queries of each group, as the test set names them."
_ABOUT_QUERIES = "The worst come first: queries for which a violating document ranks far above every satisfying one."

_QUERIES: ItemColumns[QueryResult] = {
    "query": ("text", lambda one: one.text),
    "first satisfying": ("count", lambda one: one.first_relevant),
    "first violating": ("count", lambda one: one.first_violation),
    "satisfying": ("count", lambda one: one.relevant),
    "violating": ("count", lambda one: one.violating),
}


@show_each
def show_ranking(path: Path, _: ShowOptions) -> Display:
    """The page of one ranking: its measures, its worst queries, and the system."""
    summary = load_ranking(path)
    return Display(
        Masthead(summary.system, KIND, describe_ranking(summary)),
        tuple(_sections(summary, tuple(read_jsonl(path / BY_QUERY, QueryResult)), path)),
    )


def describe_ranking(summary: RankingSummary) -> str:
    """A sentence about the queries and the documents that were searched."""
    part = f" of the split {summary.split}" if summary.split else ""
    searched = "" if summary.documents is None else f", in {summary.documents:,} documents, depth {summary.depth}"
    return f"{summary.queries:,} queries{part} of {summary.suite}{searched}."


def _sections(summary: RankingSummary, queries: Sequence[QueryResult], path: Path) -> Iterator[Section]:
    shares = [(name, figure) for name, figure in summary.measures.items() if metric_of(name).share and figure.n]
    charts = Charts((bar_chart("chart-measures", "Measures, %", shares, None),) if shares else ())
    remarks = Remarks(tuple(ranking_remarks(summary)))
    yield Section("measures", "Measures", _ABOUT, (charts, measure_table(summary), remarks))
    if summary.by:
        tables = tuple(group_table(summary, name) for name in summary.by)
        yield Section("groups", "Groups", _ABOUT_GROUPS, tables)
    worst = sorted(queries, key=_order)[:SHOWN_QUERIES]
    caption = (
        "Rank of the first satisfying and violating document, and the number of judged documents; "
        f"{len(worst):,} of {len(queries):,} queries."
    )
    yield Section("queries", "Queries", _ABOUT_QUERIES, (tabulate("queries", caption, worst, _QUERIES),))
    system = json.loads((path / SYSTEM).read_text(encoding="utf-8"))
    yield how_made(Artifact.open(path, KIND).manifest, {"system": system})


def ranking_remarks(summary: RankingSummary) -> Iterator[str]:
    """Sentences on how the intervals were made, and the notes of the run."""
    units = {"documents": "sets of queries that share documents", "queries": "queries"}
    yield f"Intervals are over {summary.groups:,} {units[summary.resampled]}."
    yield from summary.notes


def measure_table(summary: RankingSummary) -> Table:
    """One row per measure: its value, the ends of its interval and the number of queries that have a value."""
    heads = (Column("measure"), *columns("number", "value", "low", "high"), Column("n", "count"))
    rows = tuple((name, *_figure(name, figure), figure.n) for name, figure in summary.measures.items())
    return Table("measures", "Measures over all queries, with low and high end of the 95 % interval.", heads, rows)


def group_table(summary: RankingSummary, by: str, measures: Sequence[str] = ()) -> Table:
    """One row per group of a grouping; the columns are `measures`, or else the usual few. Groups without a value are left out."""
    if not summary.by:
        raise UserError(f"--by {by}: the queries of {summary.suite} have no groups. Leave --by out.")
    groups = pick_grouping(summary.by, by)
    names = [
        name
        for name in measures or SHOWN_BY_GROUP
        if any(figures[name].n for figures in groups.values() if name in figures)
    ]
    heads = (Column(by), *(Column(name, metric_of(name).kind) for name in names))
    rows: TableRows = tuple(
        (group, *(figures[name] for name in names))
        for group, figures in groups.items()
        if any(figures[n].n for n in names)
    )
    return Table(f"measures_by_{by}", f"Measures by {by.replace('_', ' ')}, with 95 % interval.", heads, rows)


def _figure(name: str, figure: Interval) -> tuple[CellValue, ...]:
    """The value and the ends of its interval. The median of a rank, and its upper end, can be deeper than the search."""
    value, low, high = (UnitValue(each, metric_of(name).kind) for each in (figure.value, figure.low, figure.high))
    if metric_of(name).average == "mean" or not figure.n:
        return value, low, high
    deep = figure.high is None and figure.low is not None
    return "deeper" if figure.value is None else value, low, "deeper" if deep else high


def _order(one: QueryResult) -> tuple[float, str]:
    """A key that sorts queries by how many ranks the first violating document is above the first satisfying one."""
    violating = float("inf") if one.first_violation is None else float(one.first_violation)
    satisfying = float("inf") if one.first_relevant is None else float(one.first_relevant)
    return (0.0 if violating == satisfying else violating - satisfying), one.query
