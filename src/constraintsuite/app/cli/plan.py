"""`csuite plan`: estimate what a build will take on machines that need not be here."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from constraintsuite.app.cli.arguments import recipe_argument
from constraintsuite.app.cli.options import combine, json_option
from constraintsuite.app.cli.output import emit

_cluster_options = combine(
    click.option(
        "--nodes", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Number of equal machines."
    ),
    click.option(
        "--gpus",
        type=click.IntRange(0, 100_000),
        default=0,
        show_default=True,
        help="GPUs of all machines together; --embed and --eval use them.",
    ),
    click.option(
        "--cores-per-node",
        type=click.IntRange(1, 4_096),
        show_default="as on this machine",
        help="CPU cores per machine.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 4_096),
        show_default="one per core",
        help="Worker processes per machine during the build.",
    ),
    click.option(
        "--memory-per-node",
        type=click.FloatRange(0, min_open=True),
        metavar="GIB",
        show_default="as on this machine",
        help="Memory per machine; a warning says if it is too little.",
    ),
)


@click.command()
@recipe_argument()
@_cluster_options
@click.option("--documents", type=click.IntRange(1), show_default="counted", help="Number of documents in the corpus.")
@click.option("--price-per-node-hour", type=click.FloatRange(0), help="Price of a machine per hour, in any currency.")
@click.option("--price-per-gb-month", type=click.FloatRange(0), help="Price of a GB (10^9 bytes) per month.")
@click.option(
    "--embed", metavar="MODEL", help="Include encoding all documents with this model, such as dense:all-MiniLM-L6-v2."
)
@click.option("--eval", "evaluate", metavar="MODEL", help="Include scoring the suite with this model.")
@click.option(
    "--sample",
    type=click.IntRange(40, 1_000_000),
    default=2_000,
    show_default=True,
    help="Number of documents in the larger samples.",
)
@json_option
def plan(  # noqa: PLR0913, PLR0917 - one parameter per option
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
    """Estimate the time, memory, storage and money that a build of RECIPE takes.

    It builds small samples of the corpus on this machine, in a folder that is removed afterwards, and shows how the estimate
    for the complete corpus follows from them.
    """
    from constraintsuite.core.execution.cores import cores
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.forecast.cluster import Cluster, Prices, memory_here
    from constraintsuite.forecast.plan import plan_recipe
    from constraintsuite.suites.recipe import Recipe

    given, per_node = memory_per_node is not None, cores_per_node or cores()
    memory = memory_per_node if given else memory_here()
    cluster = Cluster(nodes, per_node, workers or per_node, gpus, memory, memory_given=given)
    with tempfile.TemporaryDirectory(prefix="csuite-plan-") as scratch:
        found = plan_recipe(
            Recipe.read(recipe_file),
            cluster,
            Path(scratch),
            Terminal(),
            prices=Prices(price_per_node_hour, price_per_gb_month),
            embed=embed,
            evaluate=evaluate,
            documents=documents,
            sample=sample,
        )
    emit(found.as_record(), as_json, found.in_words())
