"""Rankings of a suite's collection, as `csuite retrieve-eval` measured them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, show_each
from constraintsuite.core.records.figures import CellValue, UnitValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.core.records.tables import Column, ItemColumns, Table, tabulate
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.experiments.ranking.run import BY_QUERY, KIND, SYSTEM, load_ranking
from constraintsuite.experiments.ranking.summary import QueryResult, RankingSummary, metric_of

SHOWN_QUERIES = 50
"""Queries that a page lists; all of them stand in the folder."""
_ABOUT = (
    "Each figure with its 95 % interval and the queries that have a value. Violating documents found are violations."
)
_ABOUT_QUERIES = "Those first that rank a violating document before any satisfying one, the worst of them at the top."

_QUERIES: ItemColumns[QueryResult] = {
    "query": ("text", lambda one: one.text),
    "first satisfying": ("count", lambda one: one.first_relevant),
    "first violating": ("count", lambda one: one.first_violation),
    "satisfying": ("count", lambda one: one.relevant),
    "violating": ("count", lambda one: one.violating),
}


@show_each
def show_ranking(path: Path) -> Display:
    """The page of a ranking: its measures, its worst queries, and how it was made."""
    summary = load_ranking(path)
    return Display(
        Masthead(summary.system, KIND, describe_ranking(summary)),
        tuple(_sections(summary, tuple(read_jsonl(path / BY_QUERY, QueryResult)), path)),
    )


def describe_ranking(summary: RankingSummary) -> str:
    """What was searched, in a sentence."""
    part = f" of the split {summary.split}" if summary.split else ""
    searched = "" if summary.documents is None else f", in {summary.documents:,} documents, depth {summary.depth}"
    return f"{summary.queries:,} queries{part} of {summary.suite}{searched}."


def _sections(summary: RankingSummary, queries: Sequence[QueryResult], path: Path) -> Iterator[Section]:
    told = tuple(ranking_remarks(summary))
    shares = [(name, figure) for name, figure in summary.measures.items() if metric_of(name).share and figure.n]
    blocks: list[SectionBlock] = [Charts((bar_chart("chart-measures", "Measures, %", shares, None),))] if shares else []
    yield Section("measures", "Measures", _ABOUT, (*blocks, TableBlock(measure_table(summary)), Remarks(told)))
    yield Section("queries", "Queries", _ABOUT_QUERIES, (TableBlock(_queries(queries)),))
    manifest, system = Artifact.open(path, KIND).manifest, path / SYSTEM
    about = f"Content {manifest.content[:12]}, seed {manifest.seed}."
    yield Section("made", "How it was made", about, (VerbatimText(system.read_text(encoding="utf-8"), "The system"),))


def ranking_remarks(summary: RankingSummary) -> Iterator[str]:
    """What to know before comparing."""
    units = {"documents": "sets of queries that share documents", "queries": "queries"}
    yield f"Intervals are over {summary.groups:,} {units[summary.resampled]}."
    yield from summary.notes


def measure_table(summary: RankingSummary) -> Table:
    """One row per measure: its value, the ends of its interval and the number of queries that have a value."""
    columns = (
        Column("measure"),
        *(Column(title, "number") for title in ("value", "low", "high")),
        Column("n", "count"),
    )
    rows = tuple((name, *_figure(name, figure), figure.n) for name, figure in summary.measures.items())
    return Table("measures", "Measures over all queries, with low and high end of the 95 % interval.", columns, rows)


def _figure(name: str, figure: Interval) -> tuple[CellValue, ...]:
    """Value, low and high end; a median rank may be deeper than anything looked at, and so may the end above its low end."""
    value, low, high = (UnitValue(each, metric_of(name).kind) for each in (figure.value, figure.low, figure.high))
    if metric_of(name).average == "mean" or not figure.n:
        return value, low, high
    deep = figure.high is None and figure.low is not None
    return "deeper" if figure.value is None else value, low, "deeper" if deep else high


def _queries(queries: Sequence[QueryResult]) -> Table:
    shown = sorted(queries, key=_order)[:SHOWN_QUERIES]
    caption = f"Ranks of the first documents, and how many are known; {len(shown):,} of {len(queries):,} queries."
    return tabulate("queries", caption, shown, _QUERIES)


def _order(one: QueryResult) -> tuple[float, str]:
    """How many ranks the first violating document comes before the first satisfying one; without either, in between."""
    violating = float("inf") if one.first_violation is None else float(one.first_violation)
    satisfying = float("inf") if one.first_relevant is None else float(one.first_relevant)
    return (0.0 if violating == satisfying else violating - satisfying), one.query
