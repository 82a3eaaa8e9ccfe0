"""How texts are read on a page: the words in which two differ, and how far each negation reaches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Literal, NamedTuple

from constraintsuite.app.pages.marks import TextMark
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Scope, ScopeKind
from constraintsuite.text.choice import choose_analyser, get_analyser
from constraintsuite.text.overlap import BoundedMatcher

ALIKE = 0.6
"""Share of words that two texts must have in common: of others, what differs is nearly all of them."""
LONGEST_DIFF = 4_000
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
    if max(len(a), len(b)) > LONGEST_DIFF or matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
        return ()
    changes: list[DiffSegment] = []
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            changes.append(DiffSegment("".join(a[a1:a2]), ""))
        else:
            changes += [DiffSegment("".join(a[a1:a2]), "first")] if a2 > a1 else []
            changes += [DiffSegment("".join(b[b1:b2]), "second")] if b2 > b1 else []
    return tuple(changes)


LONGEST_READ = 20_000
"""Characters of a text that is read again while somebody waits for the page."""
_KINDS: Mapping[ScopeKind, str] = {"negated": "scope", "uncertain": "scope-uncertain", "affirmed": "scope-affirmed"}
_ONE_AT_A_TIME = Lock()  # an analyser is not made for several threads


class ReadScopes(NamedTuple):
    """The scopes of some texts, in their order, or why there are none."""

    scopes: tuple[tuple[Scope, ...], ...] | None
    note: str


def read_scopes(analyser: str, texts: Sequence[str]) -> ReadScopes:
    """What an analyser says of texts; nothing is fetched for it."""
    if analyser not in ANALYSERS.names():
        return ReadScopes(None, "No analyser has read these texts, so no scopes are marked.")
    if analyser == "parser" and choose_analyser("auto") != analyser:
        return ReadScopes(
            None, f"Scopes are not marked: the analyser of this suite, {analyser!r}, is not installed here."
        )
    if max(map(len, texts), default=0) > LONGEST_READ:
        return ReadScopes(None, f"Scopes are not marked: a text is longer than {LONGEST_READ:,} characters.")
    return ReadScopes(
        tuple(_scopes(analyser, text) for text in texts), f"Scopes as the analyser {analyser!r} draws them."
    )


def scope_marks(scopes: Sequence[Scope]) -> list[TextMark]:
    """Each stretch and the words that govern it."""
    reach = [TextMark(scope.start, scope.end, _KINDS[scope.kind]) for scope in scopes]
    return reach + [TextMark(scope.cue_start, scope.cue_end, "cue") for scope in scopes]


@lru_cache(maxsize=512)
def _scopes(analyser: str, text: str) -> tuple[Scope, ...]:
    with _ONE_AT_A_TIME:
        return next(iter(get_analyser(analyser).analyse([text]))).scopes
