"""`csuite plan`: what a recipe will take on machines that are not here."""

# What does the work is imported when there is work, so that --help is instant.
# ruff: noqa: PLC0415

from __future__ import annotations

import tempfile
from pathlib import Path

import click


@click.command()
@click.argument("recipe_file", metavar="RECIPE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--nodes", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Equal machines.")
@click.option("--gpus", type=click.IntRange(0, 100_000), default=0, show_default=True, help="Graphics cards in all.")
@click.option(
    "--cores-per-node", type=click.IntRange(1, 4_096), show_default="those of this machine", help="Processors."
)
@click.option("--workers", type=click.IntRange(1, 4_096), show_default="one a core", help="Worker processes on a node.")
@click.option("--memory-per-node", type=click.FloatRange(0, min_open=True), metavar="GIB", help="To be warned by.")
@click.option("--documents", type=click.IntRange(1), show_default="counted", help="How many the whole corpus has.")
@click.option("--price-per-node-hour", type=click.FloatRange(0), help="In any currency.")
@click.option("--price-per-gb-month", type=click.FloatRange(0), help="In the same; a GB is 10^9 bytes.")
@click.option("--embed", metavar="MODEL", help="Also encode all documents, such as with dense:all-MiniLM-L6-v2.")
@click.option("--eval", "evaluate", metavar="MODEL", help="Also score the suite with a model.")
@click.option(
    "--sample",
    type=click.IntRange(40, 1_000_000),
    default=2_000,
    show_default=True,
    help="Documents of the larger samples.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with seconds and bytes.")
def plan(  # noqa: PLR0913, PLR0917 - one parameter an option
    recipe_file: Path,
    nodes: int,
    gpus: int,
    cores_per_node: int | None,
    workers: int | None,
    memory_per_node: float | None,
    documents: int | None,
    price_per_node_hour: float | None,
    price_per_gb_month: float | None,
    embed: str | None,
    evaluate: str | None,
    sample: int,
    as_json: bool,
) -> None:
    """Foretell time, memory, storage and money of a build of RECIPE.

    Small samples of its corpus are really built on this machine, in a folder that is removed afterwards; the arithmetic that
    leads from them to the whole is shown.
    """
    from constraintsuite.build.recipe import Recipe
    from constraintsuite.execution.cores import cores
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.forecast.cluster import Cluster, Prices
    from constraintsuite.forecast.plan import Models, Sampling, plan_recipe

    per_node = cores_per_node or cores()
    cluster = Cluster(nodes, per_node, workers or per_node, gpus, memory_per_node)
    prices = Prices(price_per_node_hour, price_per_gb_month)
    with tempfile.TemporaryDirectory(prefix="csuite-plan-") as scratch:
        found = plan_recipe(
            Recipe.read(recipe_file),
            cluster,
            Path(scratch),
            Terminal(),
            prices=prices,
            models=Models(embed, evaluate),
            documents=documents,
            sampling=Sampling(sample),
        )
    click.echo(found.as_json() if as_json else found.in_words())
