"""What a reader must know before believing a figure (data, machine, protocol), and the table of relevance by judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.core.records.figures import CellValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, ItemColumns, Table, tabulate
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import mean_difference
from constraintsuite.experiments.figures import generator
from constraintsuite.models.retrieval.topk import FloatArray, IntArray
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import ServedEngine
from constraintsuite.vectors.ann.frontier import Arena, conditions_of, find_run, label_runs
from constraintsuite.vectors.ann.metrics import TIE_RULES, QueryResults
from constraintsuite.vectors.ann.results import AnnRun, DataFacts, MeasuredCell, load_queries

_GENERATED = "synthetic"
_ID_DIGITS = 16  # of what is shown
_IN_NUMPY = ("exact", "coded")
_TWO_TRUTHS = (
    "ann.* compares with exact search by the same vectors: it says how exact an index is, and nothing about the encoder. rel.* "
    "compares with people's judgments: it measures encoder and index together. The two are never mixed."
)
_SPEED = (
    "Speeds hold for this machine and this protocol; recall does not depend on them. Repeats on one machine are not a sample of "
    "machines, so a difference of speed has no p."
)


def identities(runs: Sequence[AnnRun]) -> dict[str, str]:
    """The label of each data set, by its content: the id of its bundle, or the beginning of its hash."""
    return {data.content: _identity(data) for run in runs for data in run.facts.data}


def remarks(runs: Sequence[AnnRun]) -> Iterator[str]:
    """The sentences at the top of the report."""
    yield _TWO_TRUTHS
    yield _SPEED
    for run in runs:
        formats = _formats(run)
        for data in run.facts.data:
            if formats.get(data.name) == _GENERATED:
                yield (
                    f"{data.name}: generated vectors. Use them to compare speed and cost; recall on them says nothing about "
                    "recall on real vectors."
                )
            if data.judged_queries and data.population != data.rows:
                yield _about_subset(data)
            if data.judged_queries and data.min_relevance > 1:
                yield f"{data.name}: for recall, success, rr and ap, a row is relevant from grade {data.min_relevance} on."
            yield from (f"{data.name}: {note}." for note in data.notes)
    plain = dict.fromkeys(cell.point.name for run in runs for cell in run.cells if cell.point.engine in _IN_NUMPY)
    if plain:
        yield (
            f"{', '.join(plain)}: written in NumPy. Their results are right; their speed says nothing about the same method in a "
            "library. For the speed of comparing everything, use faiss with the factory Flat."
        )


def about_servers(cells: Sequence[MeasuredCell]) -> str:
    """A sentence about servers, which the protocol does not limit; empty if there is none."""
    served = list(dict.fromkeys(cell.point.name for cell in cells if _is_server(cell.point.engine)))
    if not served:
        return ""
    which = f"{served[0]} is a server" if len(served) == 1 else f"{', '.join(served)} are servers"
    return f" {which}: unlike libraries, it is not limited to the threads and processors of the protocol."


def sets(runs: Sequence[AnnRun]) -> Table:
    """A table of the data sets, one row for each set of each run."""
    searched = [(label, run, data) for label, run in label_runs(runs) for data in run.facts.data]
    columns: ItemColumns[tuple[str, AnnRun, DataFacts]] = {
        "data": ("text", lambda row: row[2].name),
        "of": ("text", lambda row: _identity(row[2]) if row[2].bundle else _formats(row[1]).get(row[2].name)),
        "content": ("text", lambda row: row[2].content[:12]),
        "rows": ("count", lambda row: row[2].rows),
        "queries": ("count", lambda row: row[2].queries),
        "judged queries": ("count", lambda row: row[2].judged_queries),
        "dimensions": ("count", lambda row: row[2].dimensions),
        "metric": ("text", lambda row: row[2].metric),
        "run": ("text", lambda row: row[0]),
    }
    return tabulate("data", "Data. Content is the hash of vectors, metric and judgments.", searched, columns)


def machines(runs: Sequence[AnnRun]) -> Table:
    """A table of machines, protocols and versions, one row for each run."""
    numbers = {shared: n for n, shared in enumerate(dict.fromkeys(conditions_of(run) for run in runs), 1)}

    def name(row: tuple[str, AnnRun]) -> str:
        label, run = row
        return f"{label}, conditions {numbers[conditions_of(run)]}" if len(numbers) > 1 else label

    columns: ItemColumns[tuple[str, AnnRun]] = {
        "run": ("text", name),
        "processor": ("text", lambda row: row[1].facts.host.get("processor")),
        "processors": ("count", lambda row: row[1].facts.host.get("processors")),
        "clock": ("text", lambda row: row[1].facts.host.get("governor")),
        "system": ("text", lambda row: row[1].facts.host.get("system")),
        "protocol": ("text", lambda row: _protocol(row[1])),
        "ties": ("text", lambda row: TIE_RULES.get(row[1].facts.ties, row[1].facts.ties)),
        "versions": ("text", lambda row: _versions(row[1])),
    }
    return tabulate("machines", "Machine, protocol and versions.", label_runs(runs), columns)


def _identity(data: DataFacts) -> str:
    return f"bundle {data.bundle[:_ID_DIGITS]}" if data.bundle else f"content {data.content[:12]}"


def _about_subset(data: DataFacts) -> str:
    of = f"of the {data.population:,} documents of the collection" if data.population else "and no others"
    return (
        f"{data.name}: rel.* holds for these {data.rows:,} rows {of}. A subset makes retrieval look easier, since most "
        "distractors are gone: do not compare figures of two sizes, or of a subset and the literature (docs/subsets.md)."
    )


def _formats(run: AnnRun) -> dict[str, str]:
    return {entry["name"]: entry["format"] for entry in run.facts.settings["data"]}


def _protocol(run: AnnRun) -> str:
    how = run.facts.settings["protocol"]
    threads = f"{how['threads']} thread{'s' if how['threads'] > 1 else ''}"
    return f"{how['repeats']} repeats of {how['min_seconds']:g} s or more, {threads}, warm-up {how['warmup']}"


def _versions(run: AnnRun) -> str:
    libraries = sorted({cell.library for cell in run.cells})
    return ", ".join([f"Python {run.facts.host.get('python')}", *libraries])


def _is_server(engine: str) -> bool:
    """Whether an engine is a server; a run may name an engine that this version does not know."""
    return engine in ENGINES.names() and issubclass(ENGINES.load(engine), ServedEngine)


_SHOWN = ("rel.recall@", "rel.ndcg@", "rel.rr@")  # the other measures are in the files of the cells


def judged(arena: Arena, cells: Sequence[MeasuredCell], runs: Sequence[AnnRun]) -> Table | None:
    """The relevance of each cell, and its difference to exact search, paired by query; None without judgments.

    The cells belong to `runs`, which `separate_runs` has made.
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
        f"{arena.title}. Over queries with a relevant row among the vectors. An index replaces exact search with the same vectors: "
        "the difference to it, paired by query, comes from the index, the rest from the encoder. It can be above 0, since a missed "
        "neighbour need not be relevant. If fewer than six queries differ, the interval is at least Wilson's bound of 0 in n."
    )
    return Table(f"relevance_{arena.slug}", caption, tuple(columns), rows)


def _rows(
    arena: Arena, cells: Sequence[MeasuredCell], names: Sequence[str], runs: Sequence[AnnRun]
) -> Iterator[tuple[CellValue, ...]]:
    top = load_queries(find_run(runs, cells[0]), cells[0])
    for run in runs:
        for ranking in run.rankings:
            if ranking.content == arena.content and all(name in ranking.figures for name in names):
                found = load_queries(run, ranking)
                yield ranking.retriever, "no vectors", *_figures(ranking.figures, top, found, names)
    ceilings = [cells[0].figures[_of_ceiling(name)] for name in names]
    yield "exact search", "all compared", *(value for figure in ceilings for value in (figure, None))
    for cell in cells:
        if not cell.exact:
            found = load_queries(find_run(runs, cell), cell)
            yield cell.point.series, cell.point.setting, *_figures(cell.figures, top, found, names)


def _figures(
    figures: Mapping[str, Interval], top: QueryResults, found: QueryResults, names: Sequence[str]
) -> Iterator[CellValue]:
    """Each figure, and its difference to exact search if both are of the same queries."""
    same = np.array_equal(top.query_row, found.query_row)
    for name in names:
        yield figures[name]
        yield _difference(found.rel[name] - top.rel[_of_ceiling(name)], found.query_row, name) if same else None


def _difference(values: FloatArray, queries: IntArray, name: str) -> Interval:
    """The mean over queries with both values."""
    known = ~np.isnan(values)
    keys = map(str, queries[known].tolist())
    clusters = np.arange(int(known.sum()))  # every query is a cluster of its own
    return mean_difference(values[known], clusters, Metric(name=name, title=name), generator(0, keys))


def _of_ceiling(name: str) -> str:
    return name.replace("rel.", "rel.ceiling.", 1)
