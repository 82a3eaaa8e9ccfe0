"""The engine that does the work of a command: processes on this machine, or a Ray cluster."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
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
    """The engine for `--engine` and the options of workers; a worker with `models` gets all processors by default."""
    from constraintsuite.core.execution.engine import LocalEngine

    if where == "local":
        if address is not None or cpus or gpus:
            raise UserError("--address, --worker-cpus and --worker-gpus are for a Ray cluster: add --engine ray.")
        return LocalEngine(workers or 1)
    from constraintsuite.core.execution.cores import THREADS, cores
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.execution.ray_cluster import find_cluster
    from constraintsuite.core.execution.ray_engine import RayEngine, WorkerResources

    find_cluster(address)  # fail before any other work if there is none
    if cpus:
        os.environ[THREADS] = str(cpus)  # scores may depend on the number of threads, and this process predicts them
    resources = WorkerResources(cpus or (cores() if models and not gpus else 1), gpus)
    return RayEngine(address, workers or 0, resources, Terminal())
