"""`csuite ann`: run a benchmark of vector search."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

import click

from constraintsuite.app.cli.arguments import bench_argument
from constraintsuite.app.cli.options import dry_run_option, json_option, out_option
from constraintsuite.app.cli.output import emit
from constraintsuite.core.store.mirror import shown

_PARTIAL = 3


@click.group()
def ann() -> None:
    """Measure vector search: how exact, how fast, how large."""


@ann.command()
@bench_argument
@out_option()
@dry_run_option
@json_option
def run(bench: Path, out: Path, dry_run: bool, as_json: bool) -> None:
    """Measure every cell of the benchmark file BENCH that OUT does not hold yet. Exit code 3 if a cell fails."""
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.vectors.ann.plan import estimate
    from constraintsuite.vectors.ann.results import load_ann_run
    from constraintsuite.vectors.ann.run import run_benchmark
    from constraintsuite.vectors.ann.settings import AnnBenchmark
    from constraintsuite.vectors.ann.tables import overview

    asked = AnnBenchmark.read(bench)
    if dry_run:
        needed = estimate(asked, bench.parent)
        emit(needed, as_json, needed.lines())
        return
    outcome = run_benchmark(asked, bench.parent, out, Terminal())
    place = shown(outcome.path)
    counts = {"measured": outcome.measured, "skipped": outcome.skipped, "failed": outcome.failed}
    lines = [
        "\n\n".join(map(str, overview(load_ann_run(out)))),
        f"\nCells and rankings: {outcome.measured} measured, {outcome.skipped} already there, {outcome.failed} failed: {place}",
        f"All results, with plots: csuite report {place} --out FOLDER",
    ]
    emit({"run": place, **counts}, as_json, lines)
    if outcome.failed:
        sys.exit(_PARTIAL)


@ann.command()
@json_option
def engines(as_json: bool) -> None:
    """List the engines with their parameters."""
    from constraintsuite.vectors.ann.plan import describe_engines

    described = describe_engines()
    emit(described, as_json, _engine_lines(described))


def _engine_lines(described: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterator[str]:
    for name, parts in described.items():
        yield name
        for part, fields in parts.items():
            for field, words in fields.items():
                yield f"  {part}.{field}: {words}"


@ann.command()
def example() -> None:
    """Print a benchmark file to start from."""
    file = resources.files("constraintsuite.vectors.ann") / "templates" / "bench.yaml"
    click.echo(file.read_text(encoding="utf-8"), nl=False)
