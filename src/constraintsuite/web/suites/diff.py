"""Two texts as one: what both say, what only the first says, and what only the second."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from constraintsuite.text.matching import BoundedMatcher

ALIKE = 0.6
"""Share of words that two texts must have in common: of others, what differs is nearly all of them."""
LONGEST = 4_000
"""Words and spaces of a text: a longer one is not read as a difference."""
_WORD = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")


class DiffSegment(NamedTuple):
    """A stretch of words, and which text it stands in."""

    text: str
    only: Literal["", "first", "second"]


def word_diff(first: str, second: str) -> tuple[DiffSegment, ...]:
    """The first text with the words of the second beside those that they replace; empty where the two are too unlike."""
    a, b = _WORD.findall(first), _WORD.findall(second)
    matcher = BoundedMatcher(a, b)
    if max(len(a), len(b)) > LONGEST or matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
        return ()
    changes: list[DiffSegment] = []
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            changes.append(DiffSegment("".join(a[a1:a2]), ""))
        else:
            changes += [DiffSegment("".join(a[a1:a2]), "first")] if a2 > a1 else []
            changes += [DiffSegment("".join(b[b1:b2]), "second")] if b2 > b1 else []
    return tuple(changes)
