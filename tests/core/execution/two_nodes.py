"""A real cluster of two nodes on this machine, each a set of processes of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

_AT_WORK = "ray::_Worker.run"  # what Ray calls the process of a worker while it has a task


@dataclass
class TwoNodes:
    """`second` is not the one that keeps the cluster together, and may be lost."""

    cluster: Any
    second: Any
    environment: Mapping[str, str]

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def lose_second(self) -> None:
        """As if somebody pulled its plug."""
        self.cluster.remove_node(self.second, allow_graceful=False)

    def seize_worker(self, *, second: bool) -> int | None:
        """Stop a worker of a node in the middle of a task; its process, or None where none is at work."""
        node = self.second if second else self.cluster.head_node
        for process in _children(node.all_processes["raylet"][0].process.pid):
            if _title(process) == _AT_WORK:
                os.kill(process, signal.SIGSTOP)
                if _title(process) == _AT_WORK:  # it was not just through with it
                    return process
                os.kill(process, signal.SIGCONT)
        return None

    def join_again(self) -> None:
        self.second = self.cluster.add_node(num_cpus=1, env_vars=dict(self.environment))


@contextmanager
def start_two_nodes(
    first: Mapping[str, str] | None = None, second: Mapping[str, str] | None = None
) -> Iterator[TwoNodes]:
    """A cluster whose nodes have some settings of their own."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    tests = str(Path(__file__).parents[2])  # where workers find the functions of a test
    path = {"PYTHONPATH": os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))}
    ray = import_module("ray")
    head = {"num_cpus": 1, "include_dashboard": False, "env_vars": {**path, **(first or {})}}
    cluster = import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=head)
    nodes = TwoNodes(cluster, None, {**path, **(second or {})})
    try:
        nodes.join_again()
        yield nodes
    finally:
        ray.shutdown()
        cluster.shutdown()


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return [int(process) for process in listed.split()]


def _title(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8").strip("\0 ")
    except OSError:  # it has ended
        return ""
