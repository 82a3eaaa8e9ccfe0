"""Roles given to the characters of a text, and the marks that come of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from constraintsuite.core.records.text import Span
from constraintsuite.mechanism.contrasts.records import Marked, RoleMark, TokenRole
from constraintsuite.text.mentions import fold

_WORD = re.compile(r"\w+|[^\w\s]")


class RoleSpans:
    """A text whose characters get roles; what is painted later covers what was painted before."""

    def __init__(self, text: str, rest: TokenRole) -> None:
        self.text = text
        self._rest: TokenRole = rest
        self._roles: list[TokenRole] = [rest] * len(text)

    def paint(self, spans: Iterable[Span], role: TokenRole) -> None:
        """Give some spans a role; it covers the roles that they had."""
        for span in spans:
            self._roles[span.start : span.end] = [role] * (span.end - span.start)

    def roles(self, span: Span) -> list[TokenRole]:
        """The roles of the characters of a stretch."""
        return self._roles[span.start : span.end]

    def bare(self, at: int) -> bool:
        """Whether a character has no role of its own."""
        return self._roles[at] == self._rest

    def marked(self) -> Marked:
        """The text with a mark for each stretch of one role, blanks inside it included; punctuation alone has none."""
        solid = [at for at, character in enumerate(self.text) if not character.isspace()]
        runs = (list(run) for _, run in groupby(solid, key=lambda at: self._roles[at]))
        marks = [
            RoleMark(run[0], run[-1] + 1, self._roles[run[0]])
            for run in runs
            if not self.bare(run[0]) and any(self.text[at].isalnum() for at in run)
        ]
        return Marked(self.text, tuple(marks))


def word_spans(text: str) -> list[Span]:
    """Words and punctuation marks; the parts of a word with a hyphen stand alone, so that "non-French" is three."""
    return [Span(*found.span()) for found in _WORD.finditer(text)]


def folded(text: str, spans: Sequence[Span]) -> list[str]:
    """The words in lower case, to compare."""
    return [fold(span.of(text)) for span in spans]
