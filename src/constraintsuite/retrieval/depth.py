"""How deep an engine must be asked that also finds documents of others, and that breaks ties in its own way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple


class EngineHit(NamedTuple):
    """One line of what an engine answers."""

    document: str
    score: float


class TopHits(NamedTuple):
    """The best of what was answered."""

    best: list[EngineHit]
    certain: bool
    """Whether a deeper answer would begin with the same."""


def head_of(found: Sequence[EngineHit], asked: int, ids: Collection[str], k: int) -> TopHits:
    """The best `k` among `ids` of an answer `asked` documents deep; equal scores in the order of ids.

    They are certain once something worse than the last of them was seen: until then a smaller id may still tie with it.
    """
    held = {each.document: each for each in reversed(found) if each.document in ids}
    best = sorted(held.values(), key=lambda each: (-each.score, each.document))[:k]
    exhausted = len(found) < asked
    return TopHits(best, exhausted or (len(best) == k and (not best or found[-1].score < best[-1].score)))
