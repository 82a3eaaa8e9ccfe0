"""Fewer contrasts than there are, still even over what matters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.contrasts.asides import without_strangers
from constraintsuite.mechanism.contrasts.halves import TORN, Linked, deal
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, SIDES, ContrastSide, ControlKind, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast, Tokenised, tokenise
from constraintsuite.models.tokenization import Tokenization


def keep_kinds(
    contrasts: Sequence[MarkedContrast],
    *,
    sides: Collection[ContrastSide] = SIDES,
    controls: Collection[ControlKind] = CONTROL_KINDS,
) -> list[MarkedContrast]:
    """The contrasts of some sides and kinds, in order; `controls=("",)` are those that are studied themselves."""
    return [contrast for contrast in contrasts if contrast.side in sides and contrast.control in controls]


def choose(contrasts: Sequence[MarkedContrast], limit: int | None, seed: int) -> list[MarkedContrast]:
    """At most `limit`, in order, dealt evenly over kind, side, slice and half; more contrasts change little of the choice."""
    if limit is None or limit >= len(contrasts):
        return list(contrasts)
    groups: dict[tuple[str, ...], list[MarkedContrast]] = defaultdict(list)
    for contrast in sorted(contrasts, key=lambda one: stable_hash("choice", str(seed), one.id)):
        groups[contrast.control, contrast.side, contrast.slice, contrast.half].append(contrast)
    rounds = sorted((turn, group, contrast.id) for group, some in groups.items() for turn, contrast in enumerate(some))
    chosen = {name for _, _, name in rounds[:limit]}
    return [contrast for contrast in contrasts if contrast.id in chosen]


def choose_readable(
    contrasts: Sequence[MarkedContrast], limit: int | None, seed: int, tokenization: Tokenization
) -> Tokenised:
    """At most `limit` in the tokens of a model, chosen in the same way; for one that it cannot be asked another is taken, as
    long as there are more."""
    left, rejected = list(contrasts), list[RejectedContrast]()
    while True:
        found = tokenise(choose(left, limit, seed), tokenization)
        rejected += found.rejected
        if not found.rejected or limit is None or limit >= len(left):
            return Tokenised(found.contrasts, tuple(rejected))
        unreadable = {one.id for one in found.rejected}
        left = [contrast for contrast in left if contrast.id not in unreadable]


def apart(clusters: Mapping[str, Collection[str]], seed: int) -> frozenset[str]:
    """Names of which no two have a cluster in common, those with rarer clusters first, so that many are found."""
    shared = Counter(cluster for some in clusters.values() for cluster in set(some))

    def crowded(name: str) -> tuple[int, int, str]:
        most = max((shared[cluster] for cluster in clusters[name]), default=0)
        return most, stable_hash("apart", str(seed), name), name

    taken: set[str] = set()
    chosen = []
    for name in sorted(clusters, key=crowded):
        if taken.isdisjoint(clusters[name]):
            taken.update(clusters[name])
            chosen.append(name)
    return frozenset(chosen)


def keep_apart(contrasts: Sequence[MarkedContrast], seed: int) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """The contrasts of which no two of one kind and side share a cluster, in order, and those that are left out for it.

    Halves are dealt anew over what is kept: one whose documents were of both halves among all need not be so among few.
    """
    groups: dict[str, dict[str, Collection[str]]] = defaultdict(dict)
    for contrast in contrasts:
        groups[_group(contrast)][contrast.id] = contrast.clusters
    chosen = {name for group in groups.values() for name in apart(group, seed)}
    some = [contrast for contrast in contrasts if contrast.id in chosen]
    halves = deal([Linked(one.id, one.clusters, one.split, _group(one)) for one in some], seed)
    kept = [replace(contrast, half=half) for contrast in some if (half := halves[contrast.id]) is not None]
    left = [RejectedContrast(one.id, "shares_a_document") for one in contrasts if one.id not in chosen]
    torn = [RejectedContrast(one.id, TORN) for one in some if halves[one.id] is None]
    return without_strangers(kept, seed), [*left, *torn]


def _group(contrast: MarkedContrast) -> str:
    return f"{contrast.control} {contrast.side}"
