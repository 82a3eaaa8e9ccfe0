"""A real cluster of two nodes on this machine, each a set of processes of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


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

    def join_again(self) -> None:
        self.second = self.cluster.add_node(num_cpus=1, env_vars=dict(self.environment))


@contextmanager
def start_two_nodes(
    first: Mapping[str, str] | None = None, second: Mapping[str, str] | None = None
) -> Iterator[TwoNodes]:
    """A cluster whose nodes have some settings of their own."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    tests = str(Path(__file__).parents[1])  # where workers find the functions of a test
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
