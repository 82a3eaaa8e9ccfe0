"""Select contrasts: divide them into halves, limit their number, and say why others are left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from constraintsuite.core.execution.shard_runs import UNWORKABLE
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import connected_components
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast, Tokenised, tokenise
from constraintsuite.mechanism.contrasts.unrelated_pairs import keep_halves_apart
from constraintsuite.models.tokenization import Tokenization

GIANT = 0.6
"""A component with more than this share of its split is divided: it would leave too little for the other half."""
IN_BOTH_HALVES = "clusters_in_both_halves"
"""The reason for contrasts whose documents are in both halves."""


class Linked(NamedTuple):
    """An example or contrast to assign to a half, with the clusters that connect it to others."""

    id: str
    clusters: Sequence[str]
    split: str
    kind: str = ""
    """Each kind is divided evenly."""


def halve(examples: Sequence[Example], seed: int) -> dict[str, ContrastHalf | None]:
    """The half of each example by its id; None if its documents are in both."""
    return _assign_halves([Linked(example.id, clusters_of(example), example.split) for example in examples], seed)


def _assign_halves(items: Sequence[Linked], seed: int) -> dict[str, ContrastHalf | None]:
    """The half of each item by its id, divided within each split; None if its clusters are in both.

    Items that share a cluster stay together: connected components go, the largest first, to the half with fewer items.
    """
    components: dict[int, list[Linked]] = defaultdict(list)
    for number, item in zip(connected_components([item.clusters for item in items]).tolist(), items, strict=True):
        components[number].append(item)
    by_split: dict[str, list[list[Linked]]] = defaultdict(list)
    for component in components.values():
        by_split[component[0].split].append(component)
    found: dict[str, ContrastHalf | None] = {}
    for some in by_split.values():
        found |= _assign_components(some, seed)
    return found


def half_of(clusters: Sequence[str], seed: int) -> ContrastHalf | None:
    """The half of clusters by their hashes; None if they differ."""
    halves = {HALVES[stable_hash("half", str(seed), cluster) % len(HALVES)] for cluster in clusters}
    return halves.pop() if len(halves) == 1 else None


def clusters_of(example: Example) -> tuple[str, ...]:
    """The clusters of an example's documents; the documents themselves if the suite has none."""
    return example.clusters or tuple(sorted({example.satisfying.source, example.violating.source}))


def _assign_components(components: Sequence[Sequence[Linked]], seed: int) -> Mapping[str, ContrastHalf | None]:
    total = sum(map(len, components))
    found: dict[str, ContrastHalf | None] = {}
    sizes: Counter[tuple[ContrastHalf, str]] = Counter()
    for component in sorted(components, key=lambda some: (-len(some), _order(some, seed))):
        if len(component) > GIANT * total and len({name for item in component for name in item.clusters}) > 2:
            halves = [half_of(item.clusters, seed) for item in component]
        else:
            halves = [_smaller_half(component, sizes, seed)] * len(component)
        for item, half in zip(component, halves, strict=True):
            found[item.id] = half
            if half is not None:
                sizes[half, item.kind] += 1
    return found


def _smaller_half(component: Sequence[Linked], sizes: Counter[tuple[ContrastHalf, str]], seed: int) -> ContrastHalf:
    """The half with fewer items of the kinds in the component."""
    turn = _order(component, seed) % 2
    return min(HALVES, key=lambda half: (sum(sizes[half, item.kind] for item in component), HALVES.index(half) ^ turn))


def _order(component: Sequence[Linked], seed: int) -> int:
    return stable_hash("half", str(seed), min(min(item.clusters, default=item.id) for item in component))


def choose_contrasts(contrasts: Sequence[MarkedContrast], limit: int | None, seed: int) -> list[MarkedContrast]:
    """At most `limit` contrasts, evenly over kind, side, slice, half and constraint type.

    With more contrasts the choice changes little.
    """
    if limit is None or limit >= len(contrasts):
        return list(contrasts)
    groups: dict[tuple[str, ...], list[MarkedContrast]] = defaultdict(list)
    for contrast in sorted(contrasts, key=lambda one: stable_hash("choice", str(seed), one.id)):
        groups[contrast.control, contrast.side, contrast.slice, contrast.half, contrast.constraint].append(contrast)
    rounds = sorted((turn, group, contrast.id) for group, some in groups.items() for turn, contrast in enumerate(some))
    chosen = {name for _, _, name in rounds[:limit]}
    return [contrast for contrast in contrasts if contrast.id in chosen]


def choose_readable(
    contrasts: Sequence[MarkedContrast], limit: int | None, seed: int, tokenization: Tokenization
) -> Tokenised:
    """Choose at most `limit` contrasts and tokenise them; one that the model cannot be asked is replaced by another."""
    left, rejected = list(contrasts), list[RejectedContrast]()
    while True:
        found = tokenise(choose_contrasts(left, limit, seed), tokenization)
        rejected += found.rejected
        if not found.rejected or limit is None or limit >= len(left):
            return Tokenised(found.contrasts, tuple(rejected))
        unreadable = {one.id for one in found.rejected}
        left = [contrast for contrast in left if contrast.id not in unreadable]


def choose_disjoint(clusters: Mapping[str, Collection[str]], seed: int) -> frozenset[str]:
    """Names of which no two share a cluster; those with rarer clusters come first, so that many are found."""
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


def keep_independent(
    contrasts: Sequence[MarkedContrast], seed: int
) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """Contrasts of which no two of one kind and side share a cluster, and those that are left out for it.

    Halves are drawn again over the kept ones: among fewer contrasts, fewer have documents in both halves.
    """
    groups: dict[str, dict[str, Collection[str]]] = defaultdict(dict)
    for contrast in contrasts:
        groups[_side_and_kind(contrast)][contrast.id] = contrast.clusters
    chosen = {name for group in groups.values() for name in choose_disjoint(group, seed)}
    some = [contrast for contrast in contrasts if contrast.id in chosen]
    left = [RejectedContrast(one.id, "shares_a_document") for one in contrasts if one.id not in chosen]
    kept, in_both = redraw_halves(some, seed, _side_and_kind)
    return kept, [*left, *in_both]


def redraw_halves(
    contrasts: Sequence[MarkedContrast], seed: int, kind_of: Callable[[MarkedContrast], str] = lambda _: ""
) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """The contrasts with halves drawn again, evenly for each kind, and those whose documents are in both halves."""
    halves = _assign_halves([Linked(one.id, one.clusters, one.split, kind_of(one)) for one in contrasts], seed)
    kept = [replace(one, half=half) for one in contrasts if (half := halves[one.id]) is not None]
    in_both = [RejectedContrast(one.id, IN_BOTH_HALVES) for one in contrasts if halves[one.id] is None]
    return keep_halves_apart(kept, seed), in_both


def _side_and_kind(contrast: MarkedContrast) -> str:
    return f"{contrast.control} {contrast.side}"


WORDS: Mapping[str, str] = {
    "opposite_states_no_preference": "it has no opposite query that prefers the other text",
    "y_not_in_query": "the query does not name the value of its constraint",
    "no_opposite_query": "there is no other query to compare it with",
    "cue_not_found": "the words that decide are not found in the text",
    "texts_far_apart": "its two texts are more than one edit apart",
    "original_missing": "the example that the control was made from is missing",
    "both_sides_changed": "both the query and the texts differ",
    "negation_in_text": "a text negates what it lacks",
    "other_wording": "the two queries differ in more than the thing asked for",
    "repeated": "it repeats another contrast",
    "shares_a_document": "it shares a document with another contrast",
    IN_BOTH_HALVES: "its documents are in both halves",
    "too_long": "the model cuts off something that is marked",
    "same_tokens": "clean and corrupt are the same tokens to the model",
    UNWORKABLE: "the model breaks at it",
    "no_other_y": "no other of its template and half is about another Y",
}


def in_words(reason: str) -> str:
    """Explain a reason of a manifest, such as `query: same_tokens` or `same_tokens`."""
    kind, colon, code = reason.rpartition(": ")
    return f"{kind}{colon}{WORDS.get(code, code)}"
