"""`csuite ann`: run a benchmark of vector search."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path

import click

from constraintsuite.cli.places import OUT
from constraintsuite.store.mirror import shown

_file = click.Path(path_type=Path, dir_okay=False)
_PARTIAL = 3


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
        click.echo(f"\nCells and rankings: {done}: {place}\nAll of it, with plots: csuite report {place} --out FOLDER")
    if outcome.failed:
        sys.exit(_PARTIAL)


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
