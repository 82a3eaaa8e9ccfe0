"""`csuite import`: read an existing test set as a suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from constraintsuite.app.cli.options import json_option, out_option
from constraintsuite.app.cli.output import count_lines, describe_example, emit
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.core.store.mirror import shown
from constraintsuite.suites.importers import IMPORTERS
from constraintsuite.suites.importers.folder import import_suite


@click.command("import")
@click.argument("kind", type=click.Choice(IMPORTERS.names()))
@click.argument("source")
@out_option()
@click.option("--split", show_default="test", help="Split of SOURCE to import.")
@json_option
def import_command(kind: str, source: str, out: Path, split: str | None, as_json: bool) -> None:
    """Import an existing test set, or triples of your own, as a suite.

    SOURCE is a file or folder with the authors' files, or for nevir also a name on the hub (orionweller/NevIR). For triples it
    is a file of your own with a query, a satisfying and a violating text in each row.
    """
    artifact = import_suite(kind, source, out, split)
    counts = artifact.manifest.counts
    first = next(read_jsonl(artifact.path / "examples.jsonl", Example)) if "examples" in counts else None
    lines = [*count_lines(counts), *(_first_lines(first) if first else []), f"Suite: {shown(out)}"]
    emit({"suite": shown(out), "counts": counts}, as_json, lines)


def _first_lines(example: Example) -> Iterator[str]:
    """An example, so that a reader sees whether the fields were understood."""
    groups = [f"{name}={value}" for name, value in example.tags.items() if name not in ("overlap", "length")]
    yield from ("", "The first example, as it was read:", "", describe_example(example).rstrip())
    yield from ([f"  groups:     {', '.join(groups)}", ""] if groups else [""])
