"""Find a Ray cluster and connect to it."""

from __future__ import annotations

import logging
import os
import socket
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import MissingExtraError, UserError

_ALONE = "local"  # a new cluster on this machine; without an address Ray would join one that another user started here
_ANSWER_SECONDS = 5.0


def find_cluster(address: str | None) -> str:
    """The address to connect to. Raises UserError if nothing listens there, since Ray itself would try for minutes."""
    if find_spec("ray") is None:
        raise MissingExtraError("ray", "--engine ray")
    from_environment = os.environ.get("RAY_ADDRESS") or None
    where = address or from_environment or _ALONE
    if where == _ALONE:
        return where
    named = from_environment if where == "auto" else where
    listens = named if named and named != "auto" else _last_cluster()
    host, _, port = listens.rpartition("/")[2].rpartition(":")
    if not host or not port.isdecimal():
        raise UserError(f"--address {where}: expected HOST:PORT, as `ray start --head` prints it, or auto.")
    try:
        socket.create_connection((host, int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise UserError(_no_cluster(listens, f"{error.strerror or error}.")) from None
    return where


def _last_cluster() -> str:
    """The address of the cluster that this machine last belonged to, from the file that Ray wrote."""
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    note = Path(folder, "ray", "ray_current_cluster")
    if not note.is_file():
        raise UserError(_no_cluster("auto", f"{note} does not exist. If a cluster is running, give its HOST:PORT."))
    return note.read_text(encoding="utf-8").strip()


def connect(address: str | None) -> Any:  # noqa: ANN401
    """The module `ray`, connected to a cluster."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray sends no statistics
    where = find_cluster(address)
    ray: Any = import_module("ray")
    if not ray.is_initialized():
        try:
            ray.init(address=where, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, ValueError) as error:
            raise UserError(_no_cluster(where, str(error).splitlines()[0])) from None
        _keep_quiet()
    return ray


def _keep_quiet() -> None:
    """Keep Ray from printing pages of its state to stdout when a node is lost; the engine reports it in one line."""
    worker: Any = import_module("ray._private.worker")
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


def _no_cluster(address: str, reason: str) -> str:
    return (
        f"No Ray cluster at {address}: {reason} Start one with `ray start --head`, or leave --address out to use this machine "
        "alone."
    )
