"""A benchmark of vector search as an experiment: an item is a query at a target of recall, a system is an engine.

At each target an engine uses the setting that was chosen on the other half of the queries. Queries are a sample, so
differences of recall are tested. Repeats on one machine are not a sample of machines, so speeds are shown without a p.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.outcome_table import Details, Item, StoredTable
from constraintsuite.models.retrieval.topk import FloatArray, IntArray
from constraintsuite.vectors.ann import frontier
from constraintsuite.vectors.ann.frontier import Arena
from constraintsuite.vectors.ann.host import machine_of
from constraintsuite.vectors.ann.results import KIND, AnnRun, MeasuredCell, load_ann_run, load_queries

RECALL = "ann.recall_tie"
ARENA = "arena"
"""The grouping by data, k and target of recall, whose groups are never pooled."""
_OF_NEIGHBOURS = (
    Metric(name=RECALL, title="recall, rows as near as the last true neighbour included"),
    Metric(name="ann.recall", title="recall by row"),
    Metric(name="ann.kth_gap", title="gap to the last true neighbour", share=False, lower_is_better=True),
)


class ChosenCells(NamedTuple):
    """The chosen cell of each engine, for one target in one arena."""

    arena: Arena
    target: float | None
    """Recall that each cell reaches on the tuning half, where it is the fastest; None for the most exact cells."""
    cells: Mapping[str, MeasuredCell]
    """By engine; engines that do not reach the target are left out."""

    @property
    def name(self) -> str:
        """Its name, unique within a run."""
        return f"{self.arena.data} top-{self.arena.k} {self.target_name}"

    @property
    def group(self) -> str:
        """The group of its queries in the outcome table."""
        return f"{ARENA}={self.name}"

    @property
    def target_name(self) -> str:
        """The target as text, such as `recall 0.9` or `most exact`."""
        return "most exact" if self.target is None else f"recall {self.target:.10g}"

    @property
    def how(self) -> str:
        """The mode, with the number of clients."""
        return f"{self.arena.mode} {self.arena.clients}" if self.arena.mode == "concurrent" else self.arena.mode


def open_ann(path: Path, options: OpenOptions) -> Experiment:
    """Open a benchmark folder as an experiment; `options` have no effect."""
    return ann_experiment(load_ann_run(path))


def ann_experiment(run: AnnRun) -> Experiment:
    """The approximate engines of a run as systems.

    The hash of the data is part of the name of each query, so that two runs are compared on the data that they share.
    """
    chosen = choose_cells(run)
    return Experiment(
        path=run.path,
        kind=KIND,
        name=run.facts.name,
        data=", ".join(dict.fromkeys(one.arena.data for one in chosen)),
        table=_ann_table(run, chosen),
        inputs={},
        conditions={
            "the rule for ties": run.facts.ties,
            "the mode": ", ".join(dict.fromkeys(one.how for one in chosen)),
        },
        options={"machine": machine_of(run.facts.host)},
        watched=(RECALL,),
    )


def choose_cells(run: AnnRun) -> list[ChosenCells]:
    """For each data set and k: the approximate cells at each target, and the most exact ones.

    They come from the first measured mode, since the rows found are the same in every mode.
    """
    first: dict[tuple[str, int], tuple[Arena, list[MeasuredCell]]] = {}
    for arena, cells in frontier.arenas(cell for cell in run.cells if not cell.exact).items():
        first.setdefault((arena.content, arena.k), (arena, cells))
    found = []
    for arena, cells in first.values():
        for target in sorted(run.facts.targets):
            fastest = {row.name: row.cell for row in frontier.choose_by_recall(cells, [target]) if row.cell is not None}
            found.append(ChosenCells(arena, target, fastest))
        found.append(
            ChosenCells(arena, None, {name: frontier.most_exact(own) for name, own in frontier.by_name(cells).items()})
        )
    return found


def _ann_table(run: AnnRun, chosen: Sequence[ChosenCells]) -> StoredTable:
    """The outcome table: one item per target and query; an engine that does not reach a target has no value there."""
    judged = sorted({name for cell in run.cells for name in cell.figures if _is_judged(name)})
    metrics = {one.name: one for one in (*_OF_NEIGHBOURS, *(Metric(name=name, title=name) for name in judged))}
    cells = {cell.key: cell for one in chosen for cell in one.cells.values()}
    answers = {key: _read_reported(run, cell, metrics) for key, cell in cells.items()}
    asked = {one.arena: answers[cell.key][0] for one in chosen for cell in one.cells.values()}
    items = [_make_item(one, query) for one in chosen for query in asked[one.arena].tolist()]
    compared = {name for one in chosen for name in one.cells}
    systems = [name for name in frontier.by_name(run.cells) if name in compared]
    values = {system: {name: np.full(len(items), np.nan) for name in metrics} for system in systems}
    groups: dict[str, range] = {}
    first = 0
    for one in chosen:
        members = groups[one.name] = range(first, first := first + len(asked[one.arena]))
        for system, cell in one.cells.items():
            queries, columns = answers[cell.key]
            if not np.array_equal(queries, asked[one.arena]):
                raise UserError(
                    f"{run.path}: its cells of {one.arena.data} do not have the same queries. Run the benchmark again."
                )
            for name, column in columns.items():
                values[system][name][members] = column
    return StoredTable(
        items,
        metrics,
        values,
        {ARENA: groups},
        RECALL,
        within=ARENA,
        settings={
            system: {one.group: _describe(one, system) for one in chosen if system in one.cells} for system in systems
        },
    )


def _read_reported(run: AnnRun, cell: MeasuredCell, metrics: Iterable[str]) -> tuple[IntArray, dict[str, FloatArray]]:
    """The held-out queries of a cell, and their values by metric."""
    found = load_queries(run, cell)
    columns = {one.name: getattr(found, one.name.removeprefix("ann.")) for one in _OF_NEIGHBOURS} | dict(found.rel)
    report = ~found.tuning
    return found.query_row[report], {name: columns[name][report] for name in metrics if name in columns}


def _make_item(chosen: ChosenCells, query: int) -> Item:
    """The item of a query; its name without the target makes the same two cells at several targets one test."""
    arena = chosen.arena
    asked = (f"{arena.content[:12]} top-{arena.k} {chosen.how} query {query}",)
    return Item(f"{asked[0]} {chosen.target_name}", asked, asked)


def _describe(chosen: ChosenCells, system: str) -> Details:
    cell = chosen.cells[system]
    return {"setting": frontier.describe_settings(cell), "mode": chosen.how, "queries/s": frontier.speed_of(cell)}


def _is_judged(name: str) -> bool:
    return name.startswith("rel.") and not name.startswith("rel.ceiling.")
