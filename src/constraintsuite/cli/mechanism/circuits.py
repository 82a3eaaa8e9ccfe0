"""`csuite explain circuit`: found on one half of the contrasts, judged on the other."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.cli.mechanism.options import dry_run_option, folder_type, json_option, memory_option, seed_option

if TYPE_CHECKING:
    from constraintsuite.mechanism.circuits.settings import CircuitSettings

_count = click.IntRange(min=0)


@click.command()
@click.argument("folder", type=folder_type)
@click.option("--side", type=click.Choice(["query", "document"]), default="query", show_default=True)
@click.option(
    "--ablation",
    type=click.Choice(["twin", "resample", "mean", "zero"]),
    default="twin",
    show_default=True,
    help="What all other sites say: what they say in the corrupt twin, about another Y, on average, or nothing.",
)
@click.option("--direction", type=click.Choice(["denoising", "noising"]), default="denoising", show_default=True)
@click.option("--method", type=click.Choice(["exact", "attribution"]), help="Effects that rank the sites.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.8, show_default=True, help="Faithfulness to reach.")
@click.option("--size", type=click.IntRange(min=1), help="Sites of the circuit, instead of --threshold.")
@click.option("--chance", type=click.IntRange(min=1), default=100, show_default=True, help="Random circuits.")
@click.option("--band", type=_count, default=20, show_default=True, help="Random circuits at each point of the curve.")
@click.option("--parts", type=click.IntRange(min=1), default=50, show_default=True, help="Sets for completeness.")
@click.option(
    "--random-models", type=_count, default=20, show_default=True, help="Untrained models; p below .05 takes 20."
)
@click.option("--limit", type=click.IntRange(min=2), help="Most contrasts of each half and control.")
@click.option("--name", help="Of the circuit's folder.  [default: side and ablation]")
@seed_option
@memory_option
@dry_run_option
@json_option
def circuit(
    folder: Path,
    *,
    name: str | None,
    memory: int | None,
    dry_run: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Find the heads and MLPs that carry a behaviour, from the effects in FOLDER, which `csuite explain` wrote.

    Faithfulness over sizes, completeness, minimality, random circuits, untrained models, and controls: each on the half of the
    contrasts on which nothing was chosen. What was stopped goes on when the same command is run again.
    """
    from constraintsuite.cli.mechanism.circuit_tables import circuit_tables, verdict_lines
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.mechanism.circuits.finding import find_circuit
    from constraintsuite.mechanism.circuits.records import CircuitReport
    from constraintsuite.mechanism.circuits.settings import CircuitSettings
    from constraintsuite.store.jsonl import adapter

    settings = CircuitSettings.model_validate(given)
    if dry_run:
        _tell_cost(folder, settings, as_json)
        return
    report = find_circuit(folder, settings, name=name, memory=memory, reporter=Terminal())
    if as_json:
        click.echo(adapter(CircuitReport).dump_json(report, indent=2).decode())
        return
    click.echo("\n\n".join([*map(str, circuit_tables(report)), "\n".join(verdict_lines(report))]))


def _tell_cost(folder: Path, settings: CircuitSettings, as_json: bool) -> None:
    """How many rows are run: circuits times contrasts; nothing is loaded but the folder."""
    import json

    from constraintsuite.mechanism.circuits.choosing import curve_sizes
    from constraintsuite.mechanism.explain.folder import load_explained

    explained = load_explained(folder)
    sites = explained.subject.layers * (explained.subject.heads + 1)
    sizes = len(curve_sizes(sites))
    main = [one for one in explained.contrasts if not one.control and one.side == settings.side]
    half = min(len(main) // 2, settings.limit or len(main))
    circuits = sizes * (2 + settings.band) + 2 * settings.chance + 2 * settings.parts
    cost = {"sites": sites, "contrasts": 2 * half, "circuits": circuits, "forwards": circuits * half * 2}
    if as_json:
        click.echo(json.dumps(cost, indent=2))
        return
    click.echo(f"{sites} sites, {2 * half:,} contrasts, about {circuits:,} circuits on one half each")
    click.echo(
        f"{cost['forwards']:>15,} forward passes of one row, about; minimality and greedy completeness come on top"
    )
