"""Tables of the figures of several runs, overall and by group, and the remarks that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.examples import CONTROL_SLICES, MAIN_SLICES, Example
from constraintsuite.core.records.figures import CellValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table, TableRows, columns
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.load import Run
from constraintsuite.experiments.pairs import HEADLINE, MIN_EXAMPLES, headline_slices, is_chance
from constraintsuite.experiments.summary import RunSummary

_WORDS = {
    "constraint": "constraint type",
    "constraints": "number of constraints in the query",
    "broken": "type of the constraint that the violating document breaks",
    "broken_place": "place in the query of the constraint that the violating document breaks",
    "cue": "words that state the constraint",
    "document_cue": "words that decide in the satisfying document",
    "edit": "how the document was edited",
    "edited": "natural or edited",
    "template": "template of the query",
    "overlap": "overlap of the two documents",
    "length": "length of the documents",
    "denial": "how the satisfying document denies what is excluded",
    "control": "kind of control",
    "control_by_type": "constraint type and kind of control",
}


def group_table(runs: Mapping[str, Run], by: str, *metrics: Metric, keys: Sequence[str] | None = None) -> Table:
    """Metrics of runs with one row per group of a grouping (`keys` selects groups); `headline` has one row.

    Each run has a column, or one column per metric if there are several metrics.
    """
    shown = groups_of([run.summary for run in runs.values()], by) if keys is None else keys
    cells = [(label, metric) for label in runs for metric in metrics]
    rows = tuple((key, *(value_of(_group(runs[label], by, key), metric) for label, metric in cells)) for key in shown)
    heads = (
        Column(
            label if len(metrics) == 1 else metric.title if len(runs) == 1 else f"{label}: {metric.title.lower()}",
            metric.kind,
        )
        for label, metric in cells
    )
    return Table(
        f"{'_'.join(metric.name for metric in metrics)}_by_{by.replace('.', '_')}",
        f"{', '.join(metric.title for metric in metrics)}"
        f"{' of the headline' if by == HEADLINE else f' by {words_for(by)}'}, with 95 % interval.",
        (Column(by.removeprefix("notes.")), *heads),
        rows,
    )


def system_table(
    name: str, caption: str, groups: Mapping[str, GroupFigures], metrics: Iterable[str], *, all_metrics: bool = False
) -> Table:
    """Metrics of one group of examples with one row per system. Metrics that no system has are left out, unless `all_metrics`."""
    known = [METRICS[metric] for metric in metrics]
    shown = [m for m in known if all_metrics or any(group.metrics[m.name].n for group in groups.values())]
    rows: TableRows = tuple((label, *(group.metrics[m.name] for m in shown)) for label, group in groups.items())
    return Table(name, caption, (Column("system"), *(Column(m.title, m.kind) for m in shown)), rows)


def main_slices(summaries: Sequence[RunSummary]) -> list[str]:
    """The slices of main examples with at least ten examples, or all slices if none has as many."""
    names = [name for name in groups_of(summaries, "slice") if name not in CONTROL_SLICES]
    large = [n for n in names if any(s.by["slice"][n].items >= MIN_EXAMPLES for s in summaries if n in s.by["slice"])]
    return large or names


def _without_small(table: Table) -> Table:
    """The table without rows of fewer than ten examples; its caption says how many were left out."""
    rows = tuple(
        row
        for row in table.rows
        if max((v.n for v in row if isinstance(v, Interval)), default=MIN_EXAMPLES) >= MIN_EXAMPLES
    )
    small = len(table.rows) - len(rows)
    if not small:
        return table
    left_out = "1 row of fewer than 10 examples is" if small == 1 else f"{small} rows of fewer than 10 examples are"
    return replace(table, rows=rows, caption=f"{table.caption} {left_out} left out.")


def groups_of(summaries: Sequence[RunSummary], by: str) -> list[str]:
    """The groups of a grouping that any of the runs has."""
    if by == HEADLINE:
        return [HEADLINE]
    return in_order(by, {key for summary in summaries for key in grouping_of(summary, by)})


def in_order(by: str, keys: Iterable[str]) -> list[str]:
    """Groups in the order in which they are shown: main slices, imported slices, controls; other groupings are sorted."""
    known = sorted(keys)
    if by != "slice":
        return known
    imported = [key for key in known if key not in (*MAIN_SLICES, *CONTROL_SLICES)]
    return [key for key in (*MAIN_SLICES, *imported, *CONTROL_SLICES) if key in known]


def grouping_of(summary: RunSummary, by: str) -> Mapping[str, GroupFigures]:
    """The figures of a grouping by group. Raises UserError if the run does not have the grouping."""
    if by not in summary.by:
        raise UserError(f"No grouping named {by!r} in this run. {hint_for(by, (HEADLINE, *summary.by))}")
    return summary.by[by]


def value_of(group: GroupFigures | None, metric: Metric) -> CellValue:
    """A metric of a group; None if there is no such group."""
    return None if group is None else group.metrics[metric.name]


def words_for(by: str) -> str:
    """The name of a grouping for a caption."""
    return _WORDS.get(by, by.removeprefix("notes."))


def _group(run: Run, by: str, key: str) -> GroupFigures | None:
    return run.summary.headline if key == HEADLINE else grouping_of(run.summary, by).get(key)


def slice_table(summaries: Sequence[RunSummary], metric: Metric) -> Table:
    """One row per system, with the headline and each slice as columns; slices of `single_table` are left out."""
    apart = single_slices(summaries) if metric.name == "paired_accuracy" else ()
    return _wide_table(summaries, metric, "slice", apart)


def single_slices(summaries: Sequence[RunSummary]) -> list[str]:
    """The slices whose examples have no opposite query, in a suite in which others have one."""
    slices = {
        name: [one for run in summaries if (one := run.by["slice"].get(name))] for name in groups_of(summaries, "slice")
    }
    single = [name for name, found in slices.items() if not any(one.metrics["paired_accuracy"].n for one in found)]
    return single if len(single) < len(slices) else []


def single_table(summaries: Sequence[RunSummary]) -> Table | None:
    """The accuracy on each slice whose examples have no opposite query; None if there is no such slice, or no other."""
    metric, single = METRICS["accuracy"], single_slices(summaries)
    if not single:
        return None
    rows: list[tuple[CellValue, ...]] = [
        (run.system, *(value_of(run.by["slice"].get(name), metric) for name in single)) for run in _ranked(summaries)
    ]
    rows.append(("chance", *[metric.chance] * len(single)))
    caption = "Accuracy of examples without an opposite query, with 95 % interval."
    return Table("accuracy_of_single", caption, (Column("system"), *columns(metric.kind, *single)), tuple(rows))


def type_table(summaries: Sequence[RunSummary], metric: Metric) -> Table | None:
    """One row per system, with the headline and each constraint type as columns; None if there is only one type."""
    return _wide_table(summaries, metric, "constraint") if len(groups_of(summaries, "constraint")) > 1 else None


def _wide_table(summaries: Sequence[RunSummary], metric: Metric, by: str, apart: Sequence[str] = ()) -> Table:
    """One row per system, with the headline and each group as columns, except the groups `apart`.

    The chance level is the last row; it replaces runs of the random system.
    """
    groups = [name for name in groups_of(summaries, by) if name not in apart]
    rows = [(summary.system, *headline_row(summary, by, groups, metric)) for summary in _ranked(summaries)]
    if metric.share and metric.chance is not None:
        rows.append(("chance", *[metric.chance] * (1 + len(groups))))
    heads = (Column("system"), *columns(metric.kind, HEADLINE, *groups))
    return Table(
        f"{metric.name}_by_{by}", f"{metric.title} by {words_for(by)}, with 95 % interval.", heads, tuple(rows)
    )


def _ranked(summaries: Sequence[RunSummary]) -> Sequence[RunSummary]:
    """The runs without those of the random system, unless there are no others."""
    return [summary for summary in summaries if not is_chance(summary.system)] or summaries


def headline_row(summary: RunSummary, by: str, groups: Iterable[str], metric: Metric) -> tuple[CellValue, ...]:
    """A metric of a run on the examples of the headline, then in each of the groups."""
    figures = grouping_of(summary, by)
    return summary.headline.metrics[metric.name], *(value_of(figures.get(name), metric) for name in groups)


def headline_remark(examples: Sequence[Example], metric: Metric) -> str:
    """Sentences on which slices, and which of their examples, the headline of a suite counts."""
    counted = headline_slices(examples)
    single = sum(e.slice in counted and not e.is_paired for e in examples) if metric.name == "paired_accuracy" else 0
    valued = {example.slice for example in examples if example.is_paired or not single}
    *first, last = in_order("slice", [name for name in counted if name in valued])
    names = f"{', '.join(first)} and {last}" if first else last
    remark = f"Headline: {metric.title.lower()} over {names}."
    if single:
        whose = "example that has" if single == 1 else "examples that have"
        remark += f" It does not count {single:,} {whose} no opposite query, and so only an accuracy, with a chance level of 50 %."
    apart = [name for name in in_order("slice", {example.slice for example in examples}) if name not in counted]
    if not apart:
        return remark
    won = "that slice" if len(apart) == 1 else "those slices"
    return f"{remark} It does not count {' and '.join(apart)}, because counting words is enough to win {won}."


def tie_remarks(summaries: Mapping[str, RunSummary]) -> Iterator[str]:
    """A sentence for each system that gives all pairs of documents equal scores."""
    for label, summary in summaries.items():
        if summary.overall.metrics["tie_rate"].value == 1:
            yield (
                f"{label} ties on all {summary.overall.items:,} examples: it gives both documents the same score. Its figures show how "
                "a tie counts, and nothing about the system."
            )


def under_rule(title: str, rule: TieRule) -> str:
    """The title of a chart, with the rule for ties if it is not the default."""
    return title if rule == STRICT else f"{title}, ties: {rule}"


class GroupTables(NamedTuple):
    """The tables that a section shows, and the complete tables that it writes to files only."""

    shown: tuple[Table, ...]
    files: tuple[Table, ...]


def split_tables(tables: Iterable[Table]) -> GroupTables:
    """Show tables without rows of fewer than ten examples, and write complete ones to files where rows were left out."""
    both = [(table, _without_small(table)) for table in tables]
    return GroupTables(
        tuple(shown for _, shown in both if shown.rows),
        tuple(whole for whole, shown in both if len(shown) < len(whole)),
    )
