"""`csuite ann`: run a benchmark of vector search, and report it."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path

import click

from constraintsuite.cli.places import FOLDER, OUT
from constraintsuite.errors import UserError
from constraintsuite.store.mirror import shown

_file = click.Path(path_type=Path, dir_okay=False)
_PARTIAL = 3
_LEGEND = (
    "Difference: second less first over the same queries, those on which no setting was chosen, with its 95 % interval. "
    "p: paired randomisation test. Holm: that p corrected for all tests here; the same two settings at several targets are one.\n"
    "Each engine is at its fastest setting that reaches the target on the other half of the queries; where no two reach one, at its most "
    "exact setting there. "
    "Speeds have no p: repeats on one machine are no sample."
)


@click.group()
def ann() -> None:
    """Measure vector search: how exact, how fast, how large."""


@ann.command()
@click.argument("bench", type=_file)
@click.option("--out", type=OUT, required=True, help="Folder to create, or to go on with.")
@click.option("--dry-run", is_flag=True, help="Only say how many cells there are, and what they need.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(bench: Path, out: Path, dry_run: bool, as_json: bool) -> None:
    """Measure all cells of BENCH that are not in the folder yet; exit code 3 if any of them fails."""
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.store.jsonl import adapter
    from constraintsuite.vectors.ann.estimate import Estimate, estimate
    from constraintsuite.vectors.ann.results import load_ann_run
    from constraintsuite.vectors.ann.run import run_benchmark
    from constraintsuite.vectors.ann.settings import AnnBenchmark
    from constraintsuite.vectors.ann.tables import overview

    asked = AnnBenchmark.read(bench)
    if dry_run:
        needed = estimate(asked, bench.parent)
        click.echo(adapter(Estimate).dump_json(needed).decode() if as_json else "\n".join(needed.lines()))
        return
    outcome = run_benchmark(asked, bench.parent, out, Terminal())
    if as_json:
        counts = {"measured": outcome.measured, "skipped": outcome.skipped, "failed": outcome.failed}
        click.echo(json.dumps({"run": shown(outcome.path), **counts}))
    else:
        click.echo("\n\n".join(map(str, overview(load_ann_run(out)))))
        done = f"{outcome.measured} measured, {outcome.skipped} were there, {outcome.failed} failed"
        place = shown(out)
        click.echo(
            f"\nCells and rankings: {done}: {place}\nAll of it, with plots: csuite ann report {place} --out FOLDER"
        )
    if outcome.failed:
        sys.exit(_PARTIAL)


@ann.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@click.option("--out", type=OUT, required=True, help="Folder to create: index.html, tables/ and plots/.")
@click.option("--json", "as_json", is_flag=True, help="Print the path of the page as JSON.")
def report(runs: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write one page of RUNS, which opens offline, with its tables and plots as files."""
    from constraintsuite.experiments.output import write_once
    from constraintsuite.reports.files import PAGE, PLOT_FILES, TABLE_FILES
    from constraintsuite.showing.ann import title_of, write_page
    from constraintsuite.store.artifact import ArtifactOrigin
    from constraintsuite.store.revisions import REVISIONS
    from constraintsuite.vectors.ann.results import load_ann_run

    loaded = [load_ann_run(path) for path in runs]
    inputs = {f"run {number}": run.content for number, run in enumerate(loaded)}
    origin = ArtifactOrigin("report", title_of(loaded), inputs, {}, 0, REVISIONS["report"])
    files = (PAGE, *TABLE_FILES, *PLOT_FILES)
    page = write_once(out, origin, files, lambda folder: write_page(loaded, folder)).path / PAGE
    click.echo(json.dumps({"page": shown(page)}) if as_json else shown(page))


@ann.command()
@click.argument("run", type=FOLDER)
@click.argument("second", required=False, type=FOLDER)
@click.option("--k", type=click.IntRange(1), help="Only this k.")
@click.option("--metric", default="ann.recall_tie", show_default=True, help="ann.recall, ann.kth_gap, rel.ndcg@10, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(run: Path, second: Path | None, k: int | None, metric: str, as_json: bool) -> None:
    """Compare the engines of RUN query by query, or those of RUN with those of SECOND."""
    from constraintsuite.store.jsonl import adapter
    from constraintsuite.vectors.ann.compare import CellDifference, compare_engines, sets_without
    from constraintsuite.vectors.ann.results import load_ann_run
    from constraintsuite.vectors.ann.tables import contrasted

    loaded = [load_ann_run(path) for path in (run, second) if path is not None]
    found = compare_engines(loaded, metric, k)
    if not found:
        raise UserError(
            f"{run}: fewer than two approximate engines on the same data, so that there is nothing to compare."
        )
    for name in sets_without(loaded, metric):
        click.echo(f"{name} has no {metric} and is left out.", err=True)
    if as_json:
        click.echo(adapter(tuple[CellDifference, ...]).dump_json(found, indent=2).decode())
        return
    click.echo("\n\n".join([*(str(table) for _, table in contrasted(found)), _LEGEND]))


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
    file = resources.files("constraintsuite.vectors.ann") / "templates" / "bench.yaml"
    click.echo(file.read_text(encoding="utf-8"), nl=False)


@ann.command()
@click.argument("bench", type=_file)
@click.option("--data", "name", required=True, help="Which of its sets.")
@click.option("--to", "form", type=click.Choice(["hdf5", "bigann"]), required=True, help="Whose files to write.")
@click.option("--depth", type=click.IntRange(1), default=100, show_default=True, help="Neighbours of each query.")
@click.option("--out", type=OUT, required=True, help="Folder to write to.")
def export(bench: Path, name: str, form: str, depth: int, out: Path) -> None:
    """Write a set of BENCH, with its exact neighbours, as ann-benchmarks or big-ann-benchmarks reads it."""
    from constraintsuite.vectors.ann.export import export_set
    from constraintsuite.vectors.ann.settings import AnnBenchmark

    for path in export_set(AnnBenchmark.read(bench), name, form, depth, bench.parent, out):
        click.echo(shown(path))
