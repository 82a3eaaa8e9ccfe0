"""`csuite import`: other people's test sets as suites."""

from __future__ import annotations

import json
from pathlib import Path

import click

from constraintsuite.cli.places import OUT
from constraintsuite.store.mirror import shown
from constraintsuite.suites.importers import IMPORTERS
from constraintsuite.suites.importers.importing import import_suite


@click.command("import")
@click.argument("kind", type=click.Choice(IMPORTERS.names()))
@click.argument("source")
@click.option("--out", required=True, type=OUT, help="Folder of the suite.")
@click.option("--split", help="Which split of SOURCE.  [default: test]")
@click.option("--json", "as_json", is_flag=True, help="Print what was read as JSON.")
def import_command(kind: str, source: str, out: Path, split: str | None, as_json: bool) -> None:
    """Read a test set as a suite.

    SOURCE is a file or folder with the authors' files, or for nevir also a name on the hub (orionweller/NevIR).
    """
    suite = import_suite(kind, source, out, split)
    if as_json:
        click.echo(json.dumps({"suite": shown(out), "counts": suite.manifest.counts}))
        return
    click.echo("\n".join(f"{count:>7,} {name}" for name, count in suite.manifest.counts.items()))
    click.echo(f"Suite: {shown(out)}")
