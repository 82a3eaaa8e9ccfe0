"""Figures of several runs side by side, overall and by group, and the remarks that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.examples import CONTROL_SLICES, MAIN_SLICES, OMISSION, Example
from constraintsuite.core.records.figures import CellValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import TableBlock
from constraintsuite.core.records.tables import Column, Table, TableRows
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.pairs import HEADLINE, MIN_EXAMPLES, headline_slices, is_chance
from constraintsuite.experiments.summary import RunSummary

_WORDS = {
    "constraint": "type of the constraint",
    "cue": "words that state the constraint",
    "document_cue": "words that decide in the satisfying document",
    "edit": "how the document was edited",
    "edited": "natural or edited",
    "template": "template of the query",
    "overlap": "overlap of the two documents",
    "length": "length of the documents",
    "control": "kind of control",
}


def group_table(runs: Mapping[str, Run], by: str, *metrics: Metric, keys: Sequence[str] | None = None) -> Table:
    """Metrics by the groups of a grouping (`keys` chooses some); `headline` has one row.

    A column is a run, or for several metrics a metric of a run.
    """
    shown = groups_of([run.summary for run in runs.values()], by) if keys is None else keys
    cells = [(label, metric) for label in runs for metric in metrics]
    rows = tuple((key, *(value_of(_group(runs[label], by, key), metric) for label, metric in cells)) for key in shown)
    titles = (
        label if len(metrics) == 1 else metric.title if len(runs) == 1 else f"{label}: {metric.title.lower()}"
        for label, metric in cells
    )
    columns = (Column(title, metric.kind) for title, (_, metric) in zip(titles, cells, strict=True))
    return Table(
        f"{'_'.join(metric.name for metric in metrics)}_by_{by.replace('.', '_')}",
        f"{', '.join(metric.title for metric in metrics)}"
        f"{' of the headline' if by == HEADLINE else f' by {words_for(by)}'}, with 95 % interval.",
        (Column(by.removeprefix("notes.")), *columns),
        rows,
    )


def system_table(
    name: str, caption: str, groups: Mapping[str, GroupFigures], metrics: Iterable[str], *, all_metrics: bool = False
) -> Table:
    """Metrics of one group of examples for each system, by its label; those that no system has a value of are left out."""
    known = [METRICS[metric] for metric in metrics]
    shown = [m for m in known if all_metrics or any(group.metrics[m.name].n for group in groups.values())]
    rows: TableRows = tuple((label, *(group.metrics[m.name] for m in shown)) for label, group in groups.items())
    return Table(name, caption, (Column("system"), *(Column(m.title, m.kind) for m in shown)), rows)


def main_slices(summaries: Sequence[RunSummary]) -> list[str]:
    """The slices of main examples that are large enough to be shown, or all of them if none is."""
    names = [name for name in groups_of(summaries, "slice") if name not in CONTROL_SLICES]
    large = [n for n in names if any(s.by["slice"][n].items >= MIN_EXAMPLES for s in summaries if n in s.by["slice"])]
    return large or names


def without_small(table: Table) -> Table:
    """The table without groups of fewer than ten examples; its caption says how many there are."""
    rows = tuple(
        row
        for row in table.rows
        if max((v.n for v in row if isinstance(v, Interval)), default=MIN_EXAMPLES) >= MIN_EXAMPLES
    )
    small = len(table.rows) - len(rows)
    if not small:
        return table
    said = "1 row of fewer than 10 examples is" if small == 1 else f"{small} rows of fewer than 10 examples are"
    return replace(table, rows=rows, caption=f"{table.caption} {said} left out.")


def groups_of(summaries: Sequence[RunSummary], by: str) -> list[str]:
    """The groups that any of the runs has."""
    if by == HEADLINE:
        return [HEADLINE]
    return in_order(by, {key for summary in summaries for key in grouping_of(summary, by)})


def in_order(by: str, keys: Iterable[str]) -> list[str]:
    """Groups as they are shown: slices in the order of the product, imported ones before controls; all else sorted."""
    known = sorted(keys)
    if by != "slice":
        return known
    imported = [key for key in known if key not in (*MAIN_SLICES, *CONTROL_SLICES)]
    return [key for key in (*MAIN_SLICES, *imported, *CONTROL_SLICES) if key in known]


def grouping_of(summary: RunSummary, by: str) -> Mapping[str, GroupFigures]:
    """One of the groupings of a run, by the name that a user wrote."""
    if by not in summary.by:
        raise UserError(f"No grouping named {by!r} in this run. {hint_for(by, (HEADLINE, *summary.by))}")
    return summary.by[by]


def value_of(group: GroupFigures | None, metric: Metric) -> CellValue:
    """A metric of a group that may not be there."""
    return None if group is None else group.metrics[metric.name]


def words_for(by: str) -> str:
    """What a grouping is, for a caption."""
    return _WORDS.get(by, by.removeprefix("notes."))


def _group(run: Run, by: str, key: str) -> GroupFigures | None:
    return run.summary.headline if key == HEADLINE else grouping_of(run.summary, by).get(key)


def slice_table(summaries: Sequence[RunSummary], metric: Metric) -> Table:
    """Rows are systems, columns the headline and each slice.

    The level of chance is the last row, in place of runs of the system that guesses.
    """
    slices = groups_of(summaries, "slice")
    columns = (Column("system"), *(Column(name, metric.kind) for name in (HEADLINE, *slices)))
    rows: list[tuple[CellValue, ...]] = []
    for summary in [one for one in summaries if not is_chance(one.system)] or summaries:
        groups = [summary.headline, *(summary.by["slice"].get(name) for name in slices)]
        rows.append((summary.system, *(value_of(group, metric) for group in groups)))
    if metric.share and metric.chance is not None:
        rows.append(("chance", *[metric.chance] * (1 + len(slices))))
    return Table(f"{metric.name}_by_slice", f"{metric.title} by slice, with 95 % interval.", columns, tuple(rows))


def headline_remark(examples: Sequence[Example], metric: Metric) -> str:
    """What the headline of a suite counts, and what stands beside it."""
    counted = headline_slices(examples)
    *first, last = in_order("slice", counted)
    names = f"{', '.join(first)} and {last}" if first else last
    said = f"Headline: {metric.title.lower()} over {names}."
    apart = OMISSION not in counted and any(example.slice == OMISSION for example in examples)
    return f"{said} Omission stands beside it, since counting words can win that slice." if apart else said


def tie_remarks(summaries: Mapping[str, RunSummary]) -> Iterator[str]:
    """A sentence for each system, by label, that ties wherever it could choose."""
    for label, summary in summaries.items():
        if summary.overall.metrics["tie_rate"].value == 1:
            yield (
                f"{label} ties on all {summary.overall.items:,} examples: it gives both documents the same score, so "
                "that its figures say what a tie counts, and nothing of the system."
            )


def under_rule(title: str, rule: TieRule) -> str:
    """The title of a chart, with the rule for ties where it is not the usual one."""
    return title if rule == STRICT else f"{title}, ties: {rule}"


class GroupSheets(NamedTuple):
    """What a section shows and what it leaves in files."""

    blocks: tuple[TableBlock, ...]
    files: tuple[Table, ...]
    """The whole tables, where the page has only a part."""


def group_sheets(tables: Iterable[Table]) -> GroupSheets:
    """The tables without rows of fewer than ten examples; one of which no row is left stands in files only."""
    both = [(table, without_small(table)) for table in tables]
    return GroupSheets(
        tuple(TableBlock(shown) for _, shown in both if shown.rows),
        tuple(whole for whole, shown in both if len(shown) < len(whole)),
    )
