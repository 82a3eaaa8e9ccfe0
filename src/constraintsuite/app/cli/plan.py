"""`csuite plan`: what a recipe will take on machines that are not here."""

# What does the work is imported when there is work, so that --help is instant.
# ruff: noqa: PLC0415

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import recipe_argument
from constraintsuite.app.cli.options import json_option
from constraintsuite.app.cli.output import emit

if TYPE_CHECKING:
    from constraintsuite.forecast.cluster import Cluster, Prices

_SIZE = click.FloatRange(0, min_open=True)


def _cluster_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command an argument `cluster` in place of the options."""

    @click.option(
        "--nodes", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Number of equal machines."
    )
    @click.option(
        "--gpus",
        type=click.IntRange(0, 100_000),
        default=0,
        show_default=True,
        help="GPUs of all machines together; --embed and --eval use them.",
    )
    @click.option(
        "--cores-per-node",
        type=click.IntRange(1, 4_096),
        show_default="those of this machine",
        help="CPU cores per machine.",
    )
    @click.option(
        "--workers",
        type=click.IntRange(1, 4_096),
        show_default="one per core",
        help="Worker processes per machine during the build.",
    )
    @click.option(
        "--memory-per-node",
        type=_SIZE,
        metavar="GIB",
        show_default="that of this machine",
        help="Memory per machine; a warning says if it is too little.",
    )
    @wraps(command)
    def wrapped(
        *arguments: object,
        nodes: int,
        gpus: int,
        cores_per_node: int | None,
        workers: int | None,
        memory_per_node: float | None,
        **options: object,
    ) -> None:
        command(*arguments, cluster=_cluster(nodes, gpus, cores_per_node, workers, memory_per_node), **options)

    return wrapped


def _price_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command an argument `prices` in place of the options."""

    @click.option(
        "--price-per-node-hour", type=click.FloatRange(0), help="Price of a machine per hour, in any currency."
    )
    @click.option("--price-per-gb-month", type=click.FloatRange(0), help="Price of a GB (10^9 bytes) per month.")
    @wraps(command)
    def wrapped(
        *arguments: object, price_per_node_hour: float | None, price_per_gb_month: float | None, **options: object
    ) -> None:
        from constraintsuite.forecast.cluster import Prices

        command(*arguments, prices=Prices(price_per_node_hour, price_per_gb_month), **options)

    return wrapped


@click.command()
@recipe_argument()
@_cluster_options
@click.option(
    "--documents", type=click.IntRange(1), show_default="counted", help="Number of documents in the whole corpus."
)
@_price_options
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
def plan(
    recipe_file: Path,
    cluster: Cluster,
    documents: int | None,
    prices: Prices,
    embed: str | None,
    evaluate: str | None,
    sample: int,
    as_json: bool,
) -> None:
    """Estimate the time, memory, storage and money that a build of RECIPE takes.

    It builds small samples of the corpus on this machine, in a folder that is removed afterwards, and shows how the estimate
    for the whole corpus follows from them.
    """
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.forecast.plan import plan_recipe
    from constraintsuite.suites.recipe import Recipe

    with tempfile.TemporaryDirectory(prefix="csuite-plan-") as scratch:
        found = plan_recipe(
            Recipe.read(recipe_file),
            cluster,
            Path(scratch),
            Terminal(),
            prices=prices,
            embed=embed,
            evaluate=evaluate,
            documents=documents,
            sample=sample,
        )
    emit(found.as_record(), as_json, found.in_words())


def _cluster(nodes: int, gpus: int, cores_per_node: int | None, workers: int | None, memory: float | None) -> Cluster:
    from constraintsuite.core.execution.cores import cores
    from constraintsuite.forecast.cluster import Cluster, memory_here

    per_node = cores_per_node or cores()
    here = memory is None
    return Cluster(nodes, per_node, workers or per_node, gpus, memory_here() if here else memory, memory_given=not here)
