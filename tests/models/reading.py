"""How much of long texts a scorer says that it reads."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.models.base import Pair, Truncating


def characters_read(scorer: object, pairs: Sequence[Pair]) -> list[int] | None:
    assert isinstance(scorer, Truncating)
    read = scorer.visible(pairs)
    return None if read is None else [int(count) for count in read]
