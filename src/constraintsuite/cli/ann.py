"""`csuite ann`: run a benchmark of vector search, and report it."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from constraintsuite.evaluate.output import Written
    from constraintsuite.reports.drawings.svg import Drawing
    from constraintsuite.reports.sections.base import Section
    from constraintsuite.reports.tables import Table
    from constraintsuite.vectors.ann.chart import Axis, Chart, Series, Spot
    from constraintsuite.vectors.ann.frontier import Arena
    from constraintsuite.vectors.ann.listings import Listing
    from constraintsuite.vectors.ann.results import AnnRun, Cell

_folder = click.Path(path_type=Path, file_okay=False)
_file = click.Path(path_type=Path, dir_okay=False)
_PARTIAL = 3
_COLOURS = ("sticks_to_satisfying", "sticks_to_violating", "correct", "reversed", "paired_tie")
_LEFT, _TOP, _WIDE, _TALL, _KEY = 54, 28, 292, 210, 18  # of a chart, in the units of its drawing
_ABOUT_FRONT = (
    "Up and to the right is better. Lines join what no other setting of the same engine beats; the rest is hollow. A dashed line is "
    "the speed of comparing everything. Recall from 0.9995 on lies on the right edge."
)
_ABOUT_ARENA = "Figures of this section may be compared with each other, and with those of no other section."
_ABOUT_BUILDS = "What an index takes beside the time of its searches."
_ABOUT_FAILURES = "What could not be measured is missing above, and counts for no engine."
_ABOUT_CONDITIONS = "Speeds hold for this machine under this protocol. Recall and neighbours do not depend on it."


@click.group()
def ann() -> None:
    """Measure vector search: how exact, how fast, how large."""


@ann.command()
@click.argument("bench", type=_file)
@click.option("--out", type=_folder, required=True, help="Folder to create, or to go on with.")
@click.option("--dry-run", is_flag=True, help="Only say which cells there are.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(bench: Path, out: Path, dry_run: bool, as_json: bool) -> None:
    """Measure all cells of BENCH that are not in the folder yet; exit code 3 if any of them fails."""
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.vectors.ann.listings import overview
    from constraintsuite.vectors.ann.plan import count_cells
    from constraintsuite.vectors.ann.results import load_ann_run
    from constraintsuite.vectors.ann.run import run_benchmark
    from constraintsuite.vectors.ann.settings import Bench

    asked = Bench.read(bench)
    if dry_run:
        counts = count_cells(asked)
        click.echo(json.dumps(counts) if as_json else f"{counts['builds']} builds, {counts['cells']} cells")
        return
    outcome = run_benchmark(asked, bench.parent, out, Terminal())
    if as_json:
        counts = {"measured": outcome.measured, "skipped": outcome.skipped, "failed": outcome.failed}
        click.echo(json.dumps({"run": str(outcome.path), **counts}))
    else:
        click.echo("\n\n".join(str(_table(listing)) for listing in overview(load_ann_run(out))))
        click.echo(f"\n{outcome.measured} cells measured, {outcome.skipped} were there, {outcome.failed} failed: {out}")
    if outcome.failed:
        sys.exit(_PARTIAL)


@ann.command()
@click.argument("runs", nargs=-1, required=True, type=_folder)
@click.option("--out", type=_folder, required=True, help="Folder to create: index.html, tables/ and plots/.")
@click.option("--json", "as_json", is_flag=True, help="Print the path of the page as JSON.")
def report(runs: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write one page of RUNS, which opens offline, with its tables and plots as files."""
    from constraintsuite.evaluate.output import write_once
    from constraintsuite.execution.stage import code_version
    from constraintsuite.reports.page import template_hash
    from constraintsuite.store.artifact import Origin
    from constraintsuite.vectors.ann.results import load_ann_run

    loaded = [load_ann_run(path) for path in runs]
    inputs = {f"run {number}": run.content for number, run in enumerate(loaded)}
    templates = {"templates": template_hash(), "page": _resource("constraintsuite.vectors.ann", "ann.html.jinja")}
    origin = Origin("report", _title(loaded), inputs, templates, 0, code_version())
    files = ("index.html", "tables/*", "plots/*.svg")
    page = write_once(out, origin, files, lambda folder: _write(loaded, folder)).path / "index.html"
    click.echo(json.dumps({"page": str(page)}) if as_json else str(page))


@ann.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def engines(as_json: bool) -> None:
    """List the engines with their parameters."""
    from constraintsuite.vectors.ann.plan import describe_engines

    described = describe_engines()
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    for name, parts in described.items():
        click.echo(name)
        for part, fields in parts.items():
            for field, words in fields.items():
                click.echo(f"  {part}.{field}: {words}")


@ann.command()
def example() -> None:
    """Print a benchmark file to start from."""
    click.echo(_resource("constraintsuite.vectors.ann", "bench.yaml"), nl=False)


@ann.command()
@click.argument("bench", type=_file)
@click.option("--data", "name", required=True, help="Which of its sets.")
@click.option("--to", "form", type=click.Choice(["hdf5", "bigann"]), required=True, help="Whose files to write.")
@click.option("--depth", type=click.IntRange(1), default=100, show_default=True, help="Neighbours of each query.")
@click.option("--out", type=_folder, required=True, help="Folder to write to.")
def export(bench: Path, name: str, form: str, depth: int, out: Path) -> None:
    """Write a set of BENCH, with its exact neighbours, as ann-benchmarks or big-ann-benchmarks reads it."""
    from constraintsuite.vectors.ann.export import export_set
    from constraintsuite.vectors.ann.settings import Bench

    for path in export_set(Bench.read(bench), name, form, depth, bench.parent, out):
        click.echo(str(path))


def _write(runs: Sequence[AnnRun], folder: Path) -> Written:
    from constraintsuite.evaluate.output import Written
    from constraintsuite.reports.formats import EXPORTED, FORMATS
    from constraintsuite.store.files import write_text

    sections = list(_sections(runs))
    tables = [table for section in sections for table in section.tables()]
    for table in tables:
        for name, ending in EXPORTED.items():
            write_text(folder / "tables" / f"{table.name}.{ending}", FORMATS.load(name)(table))
    for drawing in _drawings(runs):
        write_text(folder / "plots" / f"{drawing.name}.svg", str(drawing))
    write_text(folder / "index.html", _page(runs, sections))
    return Written({"runs": len(runs), "tables": len(tables)})


def _title(runs: Sequence[AnnRun]) -> str:
    return ", ".join(dict.fromkeys(run.facts.name for run in runs))


def _sections(runs: Sequence[AnnRun]) -> Iterator[Section]:
    from constraintsuite.reports.sections.base import Charts, Remarks, Section, Sheet
    from constraintsuite.vectors.ann import listings

    drawings = tuple(_drawings(runs))
    if drawings:
        yield Section("front", "Recall and speed", _ABOUT_FRONT, (Charts(drawings),))
    targets = sorted({target for run in runs for target in run.facts.targets})
    judged: set[tuple[str, int]] = set()
    for arena, cells in _arenas(runs).items():
        shown = [listings.reached(arena, cells, targets), listings.measured(arena, cells)]
        relevance = None if (arena.content, arena.k) in judged else listings.judged(arena, cells)
        judged.add((arena.content, arena.k))  # once: what is found does not depend on how fast it is asked for
        sheets = tuple(Sheet(_table(listing)) for listing in (*shown, relevance) if listing is not None)
        yield Section(arena.slug, arena.title, _ABOUT_ARENA, sheets)
    sets = dict.fromkeys(cell.point.data for run in runs for cell in run.cells)
    costs = [listings.builds(data, [c for run in runs for c in run.cells if c.point.data == data]) for data in sets]
    yield Section("builds", "Builds", _ABOUT_BUILDS, tuple(Sheet(_table(listing)) for listing in costs))
    failed = [failure for run in runs for failure in run.failures]
    if failed:
        yield Section("failures", "Failures", _ABOUT_FAILURES, (Sheet(_table(listings.failures(failed))),))
    notes = tuple(f"{data.name}: {note}" for run in runs for data in run.facts.data for note in data.notes)
    sheet = Sheet(_table(listings.conditions(runs)))
    yield Section("conditions", "Conditions", _ABOUT_CONDITIONS, (sheet, Remarks(notes)) if notes else (sheet,))


def _table(listing: Listing) -> Table:
    from constraintsuite.reports.tables import Column, Table

    return Table(listing.name, listing.caption, tuple(Column(*column) for column in listing.columns), listing.rows)


def _arenas(runs: Sequence[AnnRun]) -> dict[Arena, list[Cell]]:
    from constraintsuite.vectors.ann.frontier import arenas

    return arenas(cell for run in runs for cell in run.cells)


def _drawings(runs: Sequence[AnnRun]) -> Iterator[Drawing]:
    from constraintsuite.vectors.ann.chart import make_chart

    for arena, cells in _arenas(runs).items():
        chart = make_chart(cells)
        if chart is not None:
            yield _draw(f"front-{arena.slug}", arena.title, chart)


def _draw(name: str, title: str, chart: Chart) -> Drawing:
    from constraintsuite.reports.drawings.svg import WIDTH, Drawing, words

    bottom = _TOP + _TALL
    parts = [*_axis(chart.across, across=True), *_axis(chart.up, across=False)]
    parts += [words("recall", x=_LEFT + _WIDE, y=bottom + 30, class_="tick", text_anchor="end")]
    parts += [words("queries/s", x=4, y=_TOP - 14, class_="tick")]
    parts += [part for number, spot in enumerate(chart.exact) for part in _exact_line(spot, number)]
    for number, series in enumerate(chart.series):
        parts += _series(series, number, bottom + 48 + number * _KEY)
    return Drawing(name, title, chart.description, WIDTH, bottom + 44 + _KEY * len(chart.series), "".join(parts))


def _axis(axis: Axis, *, across: bool) -> Iterator[str]:
    from constraintsuite.reports.drawings.svg import element, words

    for place, label in axis.ticks:
        x, y = _LEFT + _WIDE * place, _TOP + _TALL * (1 - place)
        if across:
            yield element("line", x1=x, x2=x, y1=_TOP, y2=_TOP + _TALL, class_="grid")
            yield words(label, x=x, y=_TOP + _TALL + 15, class_="tick", text_anchor="middle")
        else:
            yield element("line", x1=_LEFT, x2=_LEFT + _WIDE, y1=y, y2=y, class_="grid")
            yield words(label, x=_LEFT - 5, y=y + 4, class_="tick", text_anchor="end")


def _exact_line(spot: Spot, number: int) -> Iterator[str]:
    from constraintsuite.reports.drawings.svg import element, hint, words

    y = _TOP + _TALL * (1 - spot.y)
    yield element("line", hint(spot.words), x1=_LEFT, x2=_LEFT + _WIDE, y1=y, y2=y, class_="chance")
    label = spot.name if spot.name == "exact" else f"{spot.name} (exact)"
    x, anchor = (_LEFT + _WIDE - 4, "end") if number % 2 else (_LEFT + 4, "start")  # two may lie close together
    yield words(label, x=x, y=y - 4, class_="tick", text_anchor=anchor)


def _series(series: Series, number: int, key: float) -> Iterator[str]:
    from constraintsuite.reports.drawings.svg import element, shortened, words

    colour = f"var(--class-{_COLOURS[number % len(_COLOURS)]})"
    places = [(_LEFT + _WIDE * spot.x, _TOP + _TALL * (1 - spot.y), spot) for spot in series.front]
    path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y, _ in places)
    yield element("path", d=path, fill="none", stroke=colour, stroke_width=1.5)
    for spot in series.others:
        yield _marker(number, _LEFT + _WIDE * spot.x, _TOP + _TALL * (1 - spot.y), colour, spot.words, faint=True)
    for x, y, spot in places:
        yield _marker(number, x, y, colour, spot.words)
    yield _marker(number, _LEFT + 6, key - 4, colour, series.name)
    yield words(shortened(series.name, 40), x=_LEFT + 18, y=key, class_="label")


def _marker(number: int, x: float, y: float, colour: str, said: str, *, faint: bool = False) -> str:
    """Circle, square, triangle or diamond: who cannot tell colours apart can tell these."""
    from constraintsuite.reports.drawings.svg import element, hint

    shapes = (
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
        "M-3.6-3.6h7.2v7.2h-7.2z",
        "M0-4.6L4.4 3.4H-4.4z",
        "M0-5L5 0L0 5L-5 0z",
    )
    look = {"fill": "none", "stroke": colour} if faint else {"fill": colour}
    return element("path", hint(said), d=shapes[number % 4], transform=f"translate({x:.2f} {y:.2f})", **look)


def _page(runs: Sequence[AnnRun], sections: Sequence[Section]) -> str:
    from jinja2 import Environment, StrictUndefined

    from constraintsuite.reports.drawings.theme import drawing_style, page_colours

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style = f":root {{ {page_colours()} }}\n{_resource('constraintsuite.reports', 'page.css')}{drawing_style()}"
    script = _resource("constraintsuite.reports", "page.js")
    cells, failed = (
        sum(len(part) for part in parts) for parts in zip(*((r.cells, r.failures) for r in runs), strict=True)
    )
    return environment.from_string(_resource("constraintsuite.vectors.ann", "ann.html.jinja")).render(
        title=_title(runs),
        about=f"{cells:,} cells, {failed:,} failed. Recall comes with its 95 % interval over queries.",
        sections=sections,
        style=style,
        style_hash=_named_by_hash(style),
        script=script,
        script_hash=_named_by_hash(script),
    )


def _named_by_hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _resource(package: str, name: str) -> str:
    return (resources.files(package) / "templates" / name).read_text(encoding="utf-8")
