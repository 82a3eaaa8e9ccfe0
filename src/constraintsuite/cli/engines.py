"""Where a command does its work: the options that it takes for that, and the engine they make."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

import click

from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.execution.engine import Engine


Command = Callable[..., None]


_ENGINE = click.option(
    "--engine",
    "where",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where the work is done: on this machine, or on a Ray cluster. The result does not depend on it.",
)
_ADDRESS = click.option(
    "--address",
    metavar="HOST:PORT",
    help="Of the Ray cluster, or auto for the one that this machine belongs to. Without it, Ray starts on this machine alone.",
)
_WORKERS = click.option(
    "--workers",
    type=click.IntRange(1, 4_096),
    show_default="1; on Ray, as many as the cluster has room for",
    help="Processes; the result does not depend on it.",
)
_WORKER_GPUS = click.option(
    "--worker-gpus",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Graphics cards that each worker on Ray has to itself; half a card is 0.5.",
)


def _worker_cpus(default: str) -> Callable[[Command], Command]:
    return click.option(
        "--worker-cpus",
        type=click.IntRange(1, 4_096),
        show_default=default,
        help="Processors that each worker on Ray has to itself, and threads that it computes with.",
    )


def engine_options(*, models: bool) -> Callable[[Command], Command]:
    """Give a command an argument `engine` in place of the options; `models` compute with all the processors they are given."""

    def decorate(command: Command) -> Command:
        @_ENGINE
        @_ADDRESS
        @_WORKERS
        @_worker_cpus("as many as this command would use" if models else "1")
        @_WORKER_GPUS
        @wraps(command)
        def wrapped(
            *arguments: object,
            where: str,
            address: str | None,
            workers: int | None,
            worker_cpus: int | None,
            worker_gpus: float,
            **options: object,
        ) -> None:
            if where == "ray":
                engine = _cluster(address, workers or 0, worker_cpus, worker_gpus, models)
            elif address is not None or worker_cpus or worker_gpus:
                raise UserError("--address, --worker-cpus and --worker-gpus are for a Ray cluster: add --engine ray.")
            else:
                engine = _here(workers or 1)
            command(*arguments, engine=engine, **options)

        return wrapped

    return decorate


def _cluster(address: str | None, workers: int, cpus: int | None, gpus: float, models: bool) -> Engine:
    from constraintsuite.execution.cores import THREADS, cores  # noqa: PLC0415 - so that --help stays quick
    from constraintsuite.execution.progress import Terminal  # noqa: PLC0415
    from constraintsuite.execution.ray_cluster import find_cluster  # noqa: PLC0415
    from constraintsuite.execution.ray_engine import RayEngine, Share  # noqa: PLC0415

    find_cluster(address)  # before any work is done that does not need it
    if cpus:
        os.environ[THREADS] = str(cpus)  # what a model computes may depend on it, and this process says what to expect
    alone = models and not gpus
    return RayEngine(address, workers, Share(cpus or (cores() if alone else 1), gpus), Terminal())


def _here(workers: int) -> Engine:
    from constraintsuite.execution.engine import LocalEngine  # noqa: PLC0415

    return LocalEngine(workers)
