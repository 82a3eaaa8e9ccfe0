"""Clusters of near-duplicate texts: MinHash finds candidates, exact Jaccard of word shingles decides."""

from __future__ import annotations

from collections.abc import Sequence

from rensa import RMinHash, RMinHashLSH

from constraintsuite.text.terms import words

SHINGLE = 5
PERMUTATIONS = 128
BANDS = 32
SEED = 20_260


def near_duplicate_clusters(texts: Sequence[str], threshold: float) -> list[int]:
    """For each text the index of the first text of its cluster; single-link over pairs at or above `threshold`."""
    parent = list(range(len(texts)))
    index = RMinHashLSH(threshold, PERMUTATIONS, BANDS)
    for i, text in enumerate(texts):
        shingles = _shingles(text)
        sketch = RMinHash(PERMUTATIONS, SEED)
        sketch.update(sorted(shingles))
        for j in sorted(index.query(sketch)):
            if _root(parent, i) != _root(parent, j) and jaccard(shingles, _shingles(texts[j])) >= threshold:
                a, b = sorted((_root(parent, i), _root(parent, j)))
                parent[b] = a
        index.insert(i, sketch)
    return [_root(parent, i) for i in range(len(texts))]


def jaccard(a: set[str], b: set[str]) -> float:
    """Shared over all; 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def _shingles(text: str) -> set[str]:
    tokens = words(text)
    return {" ".join(tokens[i : i + SHINGLE]) for i in range(max(1, len(tokens) - SHINGLE + 1))}


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
