"""Examples to read."""

from __future__ import annotations

from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.records.examples import Example
from constraintsuite.records.figures import CellValue
from constraintsuite.records.sections import Section
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.hardest import show_hardest
from constraintsuite.reports.sections.base import ExampleCards
from constraintsuite.reports.view import ReportView

SHOWN = 25
_ABOUT = (
    "What most systems get wrong, and by most: a system fails an example if it is wrong or undecided under either query. "
    "The slices take turns; of examples of a slice with the same query, and of a couple, one is shown. All examples with all "
    "outcomes are in tables/examples.csv."
)


def hardest(view: ReportView) -> Section | None:
    """The hardest examples with what decides marked, and a table of all for programs."""
    shown = show_hardest(view.suite.examples, view.runs, SHOWN)
    if not shown:
        return None
    return Section("hardest", "Hardest examples", _ABOUT, (ExampleCards(tuple(shown)),), (_all_examples(view),))


def _all_examples(view: ReportView) -> Table:
    fields = ("outcome", "outcome under the opposite", "gap", "gap under the opposite", "cut")
    columns = [Column(title) for title in ("id", "slice", "split", "domain", "relation", "query", "opposite")]
    columns += [
        Column(f"{label}: {field}", "number" if field.startswith("gap") else "text")
        for label in view.labels
        for field in fields
    ]
    known = [{result.id: result for result in run.results} for run in view.runs.values()]
    rows = tuple(
        (*_facts(example), *(value for results in known for value in _outcomes(results.get(example.id))))
        for example in (*view.suite.examples, *view.suite.controls)
    )
    caption = "Every example and control with what each system made of it; gaps in the system's own unit."
    return Table("examples", caption, tuple(columns), rows, long=True)


def _facts(example: Example) -> tuple[CellValue, ...]:
    about = (example.id, example.slice, example.split, example.domain, example.relation)
    return *about, example.query, example.opposite


def _outcomes(result: PairResult | None) -> tuple[CellValue, ...]:
    if result is None:
        return None, None, None, None, None
    cut = None if result.cut is None else "cut" if result.cut else "whole"
    outcomes, gaps = result.outcomes, result.gaps
    return outcomes["query"], outcomes.get("opposite"), gaps["query"], gaps.get("opposite"), cut
