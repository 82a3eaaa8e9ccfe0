"""Where a command does its work: the options that it takes for that, and the engine they make."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

import click

from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.execution.engine import Engine


def engine_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command an argument `engine` in place of the options."""

    @click.option(
        "--engine",
        "where",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where the work is done: on this machine, or on a Ray cluster. The result does not depend on it.",
    )
    @click.option(
        "--address",
        metavar="HOST:PORT",
        help="Of the Ray cluster, or auto for the one that this machine belongs to. Without it, Ray starts on this machine alone.",
    )
    @click.option(
        "--workers",
        type=click.IntRange(1, 4_096),
        show_default="1; on Ray, one a processor or graphics card",
        help="Processes; the result does not depend on it.",
    )
    @click.option(
        "--worker-gpus",
        type=click.FloatRange(min=0),
        default=0.0,
        help="Graphics cards that each worker on Ray has to itself; half a card is 0.5.",
    )
    @wraps(command)
    def wrapped(
        *arguments: object,
        where: str,
        address: str | None,
        workers: int | None,
        worker_gpus: float,
        **options: object,
    ) -> None:
        command(*arguments, engine=_make(where, address, workers, worker_gpus), **options)

    return wrapped


def _make(where: str, address: str | None, workers: int | None, worker_gpus: float) -> Engine:
    if where == "ray":
        from constraintsuite.execution.progress import Terminal  # noqa: PLC0415 - so that --help stays quick
        from constraintsuite.execution.ray_engine import RayEngine  # noqa: PLC0415

        return RayEngine(address, workers or 0, worker_gpus, Terminal())
    if address is not None or worker_gpus:
        raise UserError("--address and --worker-gpus are for a Ray cluster: add --engine ray.")
    from constraintsuite.execution.engine import LocalEngine  # noqa: PLC0415

    return LocalEngine(workers or 1)
