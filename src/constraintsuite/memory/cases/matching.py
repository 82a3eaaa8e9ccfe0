"""How an answer is compared with what a case expects: the words of the format, and sequences against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar, get_args

from constraintsuite.memory.records import EdgeKind
from constraintsuite.memory.results import StopReason

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


A = TypeVar("A")
B = TypeVar("B")


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


def matches(expected: Sequence[A], found: Sequence[B], fits: Callable[[A, B], bool], mode: MatchMode) -> bool:
    """`exact`: as long, and each fits its place; `prefix`: the first ones do; `subsequence`: in order, gaps allowed."""
    if mode == "subsequence":
        rest = iter(found)
        return all(any(fits(want, have) for have in rest) for want in expected)
    if len(expected) > len(found) or (mode == "exact" and len(expected) < len(found)):
        return False
    return all(fits(want, have) for want, have in zip(expected, found, strict=False))


def longest_common(expected: Sequence[str], found: Sequence[str]) -> int:
    """The length of the longest sequence that is a subsequence of both."""
    best = [0] * (len(found) + 1)
    for want in expected:
        before = best
        best = [0]
        for place, have in enumerate(found, 1):
            best.append(before[place - 1] + 1 if want == have else max(before[place], best[-1]))
    return best[-1]


def edit_distance(expected: Sequence[str], found: Sequence[str]) -> int:
    """How many nodes must be put in, taken out or exchanged to make one of the other (Levenshtein 1966)."""
    row = list(range(len(found) + 1))
    for number, want in enumerate(expected, 1):
        before, row = row, [number]
        for place, have in enumerate(found, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (want != have)))
    return row[-1]
