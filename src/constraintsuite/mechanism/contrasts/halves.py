"""Two halves of a suite that share no document cluster: circuits are found on one and judged on the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf
from constraintsuite.metrics.intervals import connected_components
from constraintsuite.records.examples import Example

GIANT = 0.6
"""A component with more than this share of its split would leave too little for the other half: it is torn apart."""
TORN = "clusters_in_both_halves"
"""Why something is left out whose documents fell to both halves."""


class Linked(NamedTuple):
    """Something that is dealt to a half, and the clusters that tie it to others."""

    id: str
    clusters: Sequence[str]
    split: str
    kind: str = ""
    """Each kind is dealt evenly."""


def halve(examples: Sequence[Example], seed: int) -> dict[str, ContrastHalf | None]:
    """The half of each example by its id; None where its two documents are torn apart."""
    return deal([Linked(example.id, clusters_of(example), example.split) for example in examples], seed)


def deal(items: Sequence[Linked], seed: int) -> dict[str, ContrastHalf | None]:
    """The half of each by its id, each split dealt for itself; None where its clusters are torn apart.

    Those that share a cluster go together: components are dealt out, the largest first, to the half that has less.
    """
    components: dict[int, list[Linked]] = defaultdict(list)
    for number, item in zip(connected_components([item.clusters for item in items]).tolist(), items, strict=True):
        components[number].append(item)
    by_split: dict[str, list[list[Linked]]] = defaultdict(list)
    for component in components.values():
        by_split[component[0].split].append(component)
    found: dict[str, ContrastHalf | None] = {}
    for some in by_split.values():
        found |= _deal(some, seed)
    return found


def half_of(clusters: Sequence[str], seed: int) -> ContrastHalf | None:
    """The half of documents by the hash of each cluster; None if they fall apart."""
    halves = {HALVES[stable_hash("half", str(seed), cluster) % len(HALVES)] for cluster in clusters}
    return halves.pop() if len(halves) == 1 else None


def clusters_of(example: Example) -> tuple[str, ...]:
    """Clusters of an example's documents; where the suite has none, the documents themselves."""
    return example.clusters or tuple(sorted({example.satisfying.source, example.violating.source}))


def _deal(components: Sequence[Sequence[Linked]], seed: int) -> Mapping[str, ContrastHalf | None]:
    total = sum(map(len, components))
    found: dict[str, ContrastHalf | None] = {}
    sizes: Counter[tuple[ContrastHalf, str]] = Counter()
    for component in sorted(components, key=lambda some: (-len(some), _order(some, seed))):
        if len(component) > GIANT * total and len({name for item in component for name in item.clusters}) > 2:
            halves = [half_of(item.clusters, seed) for item in component]
        else:
            halves = [_lesser(component, sizes, seed)] * len(component)
        for item, half in zip(component, halves, strict=True):
            found[item.id] = half
            if half is not None:
                sizes[half, item.kind] += 1
    return found


def _lesser(component: Sequence[Linked], sizes: Counter[tuple[ContrastHalf, str]], seed: int) -> ContrastHalf:
    """The half that has less of what the component is of."""
    turn = _order(component, seed) % 2
    return min(HALVES, key=lambda half: (sum(sizes[half, item.kind] for item in component), HALVES.index(half) ^ turn))


def _order(component: Sequence[Linked], seed: int) -> int:
    return stable_hash("half", str(seed), min(min(item.clusters, default=item.id) for item in component))
