"""The engine that does the work of a command: processes of this machine, or a Ray cluster."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.core.execution.engine import Engine


def make_engine(
    where: str, address: str | None, workers: int | None, cpus: int | None, gpus: float, *, models: bool
) -> Engine:
    """The engine that `--engine` and the options beside it name; `models` compute with all the processors they are given."""
    from constraintsuite.core.execution.engine import LocalEngine

    if where == "ray":
        return _cluster(address, workers or 0, cpus, gpus, models)
    if address is not None or cpus or gpus:
        raise UserError("--address, --worker-cpus and --worker-gpus are for a Ray cluster: add --engine ray.")
    return LocalEngine(workers or 1)


def _cluster(address: str | None, workers: int, cpus: int | None, gpus: float, models: bool) -> Engine:
    from constraintsuite.core.execution.cores import THREADS, cores
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.execution.ray_cluster import find_cluster
    from constraintsuite.core.execution.ray_engine import RayEngine, WorkerResources

    find_cluster(address)  # before any work is done that does not need it
    if cpus:
        os.environ[THREADS] = str(cpus)  # what a model computes may depend on it, and this process says what to expect
    alone = models and not gpus
    return RayEngine(address, workers, WorkerResources(cpus or (cores() if alone else 1), gpus), Terminal())
