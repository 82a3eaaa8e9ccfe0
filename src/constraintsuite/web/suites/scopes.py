"""How far each negation reaches in a text: read again by the analyser that the suite was made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from constraintsuite.reports.marks import TextMark
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Scope, ScopeKind
from constraintsuite.text.choice import choose_analyser, get_analyser

LONGEST = 20_000
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
    if max(map(len, texts), default=0) > LONGEST:
        return ReadScopes(None, f"Scopes are not marked: a text is longer than {LONGEST:,} characters.")
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
