"""How alike two rankings are."""

from __future__ import annotations

from collections.abc import Sequence

PERSISTENCE = 0.9
"""How likely a reader is to look at the next place as well: the first ten places then have 86 % of the weight."""


def overlap_at(one: Sequence[str], other: Sequence[str], k: int) -> float | None:
    """Share of the first k that both have; None if neither found anything."""
    first, second = set(one[:k]), set(other[:k])
    longer = max(len(first), len(second))
    return len(first & second) / longer if longer else None


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], persistence: float = PERSISTENCE) -> float | None:
    """RBO, extrapolated to endless rankings (Webber, Moffat & Zobel 2010, equation 32); None for two empty ones."""
    shorter, longer = sorted((one, other), key=len)
    s, l = len(shorter), len(longer)  # noqa: E741 - as in the paper
    if not s:
        return None if not l else 0.0
    shared: list[int] = []  # X_d: how many of the first d both have
    seen_shorter: set[str] = set()
    seen_longer: set[str] = set()
    for depth in range(l):
        seen_longer.add(longer[depth])
        if depth < s:
            seen_shorter.add(shorter[depth])
        shared.append(len(seen_shorter & seen_longer))
    at_s, at_l = shared[s - 1], shared[l - 1]
    terms = sum(x / d * persistence**d for d, x in enumerate(shared, 1))
    unseen = sum(at_s * (d - s) / (s * d) * persistence**d for d in range(s + 1, l + 1))
    rest = ((at_l - at_s) / l + at_s / s) * persistence**l
    return (1 - persistence) / persistence * (terms + unseen) + rest
