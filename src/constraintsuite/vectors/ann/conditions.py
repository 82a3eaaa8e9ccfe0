"""What a reader must know before believing a figure: of what data, how and where it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.records.figures import CellValue
from constraintsuite.records.tables import Column, Table
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import ServedEngine
from constraintsuite.vectors.ann.frontier import conditions_of
from constraintsuite.vectors.ann.metrics import TIE_RULES
from constraintsuite.vectors.ann.results import AnnRun, DataFacts, MeasuredCell
from constraintsuite.vectors.ann.run_labels import labelled

_GENERATED = "synthetic"
_SHOWN = 16  # digits of an id
_PLAIN = ("exact", "coded")
_TWO_TRUTHS = (
    "ann.* is against exact search with the same vectors and says how exact an index is, nothing of the encoder. rel.* is against "
    "people's judgments, of encoder and index together. The two are never mixed."
)
_SPEED = (
    "Speeds hold for this machine under this protocol; recall does not depend on it. Repeats on one machine are no sample of "
    "machines, so that a difference of speed has its spread and no p."
)


def identities(runs: Sequence[AnnRun]) -> dict[str, str]:
    """What to call the data of figures, by its content: the id of its bundle, or the beginning of its hash."""
    return {data.content: _identity(data) for run in runs for data in run.facts.data}


def remarks(runs: Sequence[AnnRun]) -> Iterator[str]:
    """Sentences to be read first."""
    yield _TWO_TRUTHS
    yield _SPEED
    for run in runs:
        formats = {entry["name"]: entry["format"] for entry in run.facts.settings["data"]}
        for data in run.facts.data:
            if formats.get(data.name) == _GENERATED:
                yield (
                    f"{data.name}: generated vectors. They compare speed and cost; recall on them is no claim about "
                    "recall on real vectors."
                )
            if data.judged_queries and data.population != data.rows:
                yield _about_subset(data)
            if data.judged_queries and data.min_relevance > 1:
                yield f"{data.name}: for recall, success, rr and ap a row is relevant from grade {data.min_relevance} on."
            yield from (f"{data.name}: {note}." for note in data.notes)
            yield from (
                f"{data.name}: k = {k} is more than its {data.rows:,} rows; figures are over all of them."
                for k in sorted({cell.point.k for cell in run.cells if cell.content == data.content})
                if k > data.rows
            )
    plain = dict.fromkeys(cell.point.name for run in runs for cell in run.cells if cell.point.engine in _PLAIN)
    if plain:
        yield (
            f"{', '.join(plain)}: plain NumPy. What they find is right; their speed says nothing of the same idea in a library. "
            "For the speed of comparing everything take faiss with the factory Flat."
        )


def about_servers(cells: Sequence[MeasuredCell]) -> str:
    """A sentence of those that nothing limits; empty where there is none."""
    served = list(dict.fromkeys(cell.point.name for cell in cells if _is_server(cell.point.engine)))
    if not served:
        return ""
    which = f"{served[0]} is a server" if len(served) == 1 else f"{', '.join(served)} are servers"
    return f" {which}: threads and processors of the protocol limit neither searches nor builds there, as they limit those of libraries."


def sets(runs: Sequence[AnnRun]) -> Table:
    """What was searched."""
    columns = (
        Column("data"),
        Column("of"),
        Column("content"),
        Column("rows", "count"),
        Column("queries", "count"),
        Column("judged queries", "count"),
        Column("dimensions", "count"),
        Column("metric"),
        Column("run"),
    )
    rows = tuple(_set_row(data, run, label) for label, run in labelled(runs) for data in run.facts.data)
    return Table("data", "Data. Content is the hash of vectors, metric and judgments.", columns, rows)


def machines(runs: Sequence[AnnRun]) -> Table:
    """Where, with what and how was measured; one row for each of the conditions that may not be mixed."""
    columns = (
        Column("run"),
        Column("processor"),
        Column("processors", "count"),
        Column("clock"),
        Column("system"),
        Column("protocol"),
        Column("ties"),
        Column("versions"),
    )
    numbers = {shared: n for n, shared in enumerate(dict.fromkeys(conditions_of(run) for run in runs), 1)}
    rows = tuple(_machine_row(run, label, numbers) for label, run in labelled(runs))
    return Table("machines", "Machine, protocol and versions.", columns, rows)


def _identity(data: DataFacts) -> str:
    return f"bundle {data.bundle[:_SHOWN]}" if data.bundle else f"content {data.content[:12]}"


def _about_subset(data: DataFacts) -> str:
    of = f"of the {data.population:,} documents of the collection" if data.population else "and no others"
    return (
        f"{data.name}: rel.* holds for these {data.rows:,} rows {of}. A subset makes retrieval look easier, as the other "
        "distractors are gone: figures of two sizes, or of a subset and the literature, cannot be compared (docs/subsets.md)."
    )


def _set_row(data: DataFacts, run: AnnRun, label: str) -> tuple[CellValue, ...]:
    formats = {entry["name"]: entry["format"] for entry in run.facts.settings["data"]}
    return (
        data.name,
        _identity(data) if data.bundle else formats.get(data.name),
        data.content[:12],
        data.rows,
        data.queries,
        data.judged_queries,
        data.dimensions,
        data.metric,
        label,
    )


def _machine_row(run: AnnRun, label: str, numbers: Mapping[tuple[str, ...], int]) -> tuple[CellValue, ...]:
    host, how = run.facts.host, run.facts.settings["protocol"]
    libraries = sorted({cell.library for cell in run.cells})
    name = f"{label}, conditions {numbers[conditions_of(run)]}" if len(numbers) > 1 else label
    return (
        name,
        _text(host.get("processor")),
        host.get("processors"),
        _text(host.get("governor")),
        _text(host.get("system")),
        f"{how['repeats']} repeats of {how['min_seconds']:g} s or more, {_threads(how['threads'])}, warm-up {how['warmup']}",
        next((text for rule, text in TIE_RULES.items() if rule == run.facts.ties), run.facts.ties),
        ", ".join([f"Python {host.get('python')}", *libraries]),
    )


def _is_server(engine: str) -> bool:
    """Of an engine that is known here; a run may come from a program that knows others."""
    return engine in ENGINES.names() and issubclass(ENGINES.load(engine), ServedEngine)


def _threads(number: int) -> str:
    return f"{number} thread{'s' if number > 1 else ''}"


def _text(value: str | int | None) -> str:
    return "not told" if value is None else str(value)
