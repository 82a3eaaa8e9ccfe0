"""Two halves of a suite that share no document cluster: circuits are found on one and judged on the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.records import HALVES, Half
from constraintsuite.metrics.intervals import connected_components
from constraintsuite.records.examples import Example

GIANT = 0.6
"""A component with more than this share of its split would leave too little for the other half: it is torn apart."""


def halve(examples: Sequence[Example], seed: int) -> dict[str, Half | None]:
    """The half of each example by its id, each split halved for itself; None where its two documents are torn apart.

    Examples that share a cluster go together: components are dealt out, the largest first, to the half that has less.
    """
    components: dict[int, list[Example]] = defaultdict(list)
    numbers = connected_components([clusters_of(example) for example in examples])
    for number, example in zip(numbers.tolist(), examples, strict=True):
        components[number].append(example)
    by_split: dict[str, list[list[Example]]] = defaultdict(list)
    for component in components.values():
        by_split[component[0].split].append(component)
    found: dict[str, Half | None] = {}
    for some in by_split.values():
        found |= _deal(some, seed)
    return found


def half_of(clusters: Sequence[str], seed: int) -> Half | None:
    """The half of documents by the hash of each cluster; None if they fall apart."""
    halves = {HALVES[stable_hash("half", str(seed), cluster) % len(HALVES)] for cluster in clusters}
    return halves.pop() if len(halves) == 1 else None


def clusters_of(example: Example) -> tuple[str, ...]:
    """Clusters of an example's documents; where the suite has none, the documents themselves."""
    documents = (example.source.doc_pos_id, example.source.doc_neg_id)
    return example.clusters or tuple(sorted(set(documents)))


def _deal(components: Sequence[Sequence[Example]], seed: int) -> Mapping[str, Half | None]:
    total = sum(map(len, components))
    found: dict[str, Half | None] = {}
    sizes = dict.fromkeys(HALVES, 0)
    for component in sorted(components, key=lambda some: (-len(some), _order(some, seed))):
        if len(component) > GIANT * total and len({c for e in component for c in clusters_of(e)}) > 2:
            halves = [half_of(clusters_of(example), seed) for example in component]
        else:
            least = min(HALVES, key=lambda half: (sizes[half], HALVES.index(half) ^ _order(component, seed) % 2))
            halves = [least] * len(component)
        for example, half in zip(component, halves, strict=True):
            found[example.id] = half
            if half is not None:
                sizes[half] += 1
    return found


def _order(component: Sequence[Example], seed: int) -> int:
    return stable_hash("half", str(seed), min(min(clusters_of(example)) for example in component))
