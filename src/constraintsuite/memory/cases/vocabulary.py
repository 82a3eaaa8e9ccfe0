"""Words of the benchmark format: those we have, under the names we give them, and those of the earlier engine that have no
counterpart here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from constraintsuite.memory.recall import StopReason
from constraintsuite.memory.records import EdgeKind

MatchMode = Literal["exact", "prefix", "subsequence"]
EDGE_ALIASES: Mapping[str, EdgeKind] = {"next_unit": "next"}
FOREIGN_EDGES = frozenset(("causes", "recalls", "summarizes", "located_in", "route_to"))
FOREIGN_STOPS = frozenset(("outside_space_scope",))
FOREIGN_FIELDS = (
    "route",
    "required_route_sources",
    "required_scenario_tags",
    "required_symbolic_tags",
    "required_space_ids",
    "required_consolidation_kinds",
)
"""Fields of an expectation that ask for spaces, routes and tags which no mode here has."""


def own_edge(name: str) -> EdgeKind | None:
    """What we call a kind of edge; None for one that has no counterpart."""
    return None if name in FOREIGN_EDGES else _EDGES[name]


def check_edge(name: str) -> str:
    """The name of a kind of edge, if it is one of the format."""
    return _one_of(name, (*_EDGES, *sorted(FOREIGN_EDGES)), "kind of edge")


def check_stop(name: str) -> str:
    """The reason for which a walk stopped, if it is one of the format."""
    return _one_of(name, (*get_args(StopReason), *sorted(FOREIGN_STOPS)), "stop reason")


_EDGES: Mapping[str, EdgeKind] = {kind: kind for kind in get_args(EdgeKind)} | dict(EDGE_ALIASES)


def _one_of(name: str, names: tuple[str, ...], what: str) -> str:
    if name not in names:
        raise ValueError(f"{name!r} is no {what}; there are {', '.join(names)}")
    return name
