"""Fewer contrasts than there are, still even over what matters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, SIDES, Contrast, ControlKind, Side


def keep_kinds(
    contrasts: Sequence[Contrast],
    *,
    sides: Collection[Side] = SIDES,
    controls: Collection[ControlKind] = CONTROL_KINDS,
) -> list[Contrast]:
    """The contrasts of some sides and kinds, in order; `controls=("",)` are those that are studied themselves."""
    return [contrast for contrast in contrasts if contrast.side in sides and contrast.control in controls]


def choose(contrasts: Sequence[Contrast], limit: int | None, seed: int) -> list[Contrast]:
    """At most `limit`, in order, dealt evenly over kind, side, slice and half; more contrasts change little of the choice."""
    if limit is None or limit >= len(contrasts):
        return list(contrasts)
    groups: dict[tuple[str, ...], list[Contrast]] = defaultdict(list)
    for contrast in sorted(contrasts, key=lambda one: stable_hash("choice", str(seed), one.id)):
        groups[contrast.control, contrast.side, contrast.suite, contrast.half].append(contrast)
    rounds = sorted((turn, group, contrast.id) for group, some in groups.items() for turn, contrast in enumerate(some))
    chosen = {name for _, _, name in rounds[:limit]}
    return [contrast for contrast in contrasts if contrast.id in chosen]


def apart(clusters: Mapping[str, Collection[str]], seed: int) -> frozenset[str]:
    """Names of which no two have a cluster in common, those with rarer clusters first, so that many are found."""
    shared = Counter(cluster for some in clusters.values() for cluster in set(some))

    def crowded(name: str) -> tuple[int, int, str]:
        return max(shared[cluster] for cluster in clusters[name]), stable_hash("apart", str(seed), name), name

    taken: set[str] = set()
    chosen = []
    for name in sorted(clusters, key=crowded):
        if taken.isdisjoint(clusters[name]):
            taken.update(clusters[name])
            chosen.append(name)
    return frozenset(chosen)


def keep_apart(contrasts: Sequence[Contrast], seed: int) -> list[Contrast]:
    """The contrasts of which no two of one kind and side share a cluster, in order."""
    groups: dict[tuple[str, str], dict[str, Collection[str]]] = defaultdict(dict)
    for contrast in contrasts:
        groups[contrast.control, contrast.side][contrast.id] = contrast.clusters
    chosen = {name for group in groups.values() for name in apart(group, seed)}
    return [contrast for contrast in contrasts if contrast.id in chosen]
