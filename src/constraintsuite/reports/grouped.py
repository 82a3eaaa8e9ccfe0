"""Figures of several runs beside each other, overall and by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from constraintsuite.errors import UserError, hint_for
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.groupings import FEW
from constraintsuite.experiments.headline import HEADLINE
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.summary import RunSummary
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.examples import CONTROL_SLICES, MAIN_SLICES
from constraintsuite.records.figures import CellValue
from constraintsuite.records.scores import Interval
from constraintsuite.records.tables import Column, Table

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


def main_slices(summaries: Sequence[RunSummary]) -> list[str]:
    """The slices of main examples that are large enough to be shown, or all of them if none is."""
    names = [name for name in groups_of(summaries, "slice") if name not in CONTROL_SLICES]
    large = [n for n in names if any(s.by["slice"][n].items >= FEW for s in summaries if n in s.by["slice"])]
    return large or names


def without_small(table: Table) -> Table:
    """The table without groups of fewer than ten examples; its caption says how many there are."""
    rows = tuple(row for row in table.rows if max((v.n for v in row if isinstance(v, Interval)), default=FEW) >= FEW)
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
