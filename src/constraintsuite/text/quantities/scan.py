"""The words, numbers and signs of a text with their places, for the readers of quantities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.text.quantities.vocabulary import context_words

_PIECE = re.compile(r"([0-9]+(?:[.,][0-9]+)*)|([^\W\d_]+)|\S")
_STOPS = frozenset(".!?")


class TextPiece(NamedTuple):
    """A word, a number in digits, or one other sign."""

    start: int
    end: int
    text: str
    lower: str
    kind: str
    """`number`, `word` or `sign`."""


class Pieces:
    """The pieces of a text; places outside it hold an empty piece."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.all: Sequence[TextPiece] = [
            TextPiece(
                match.start(),
                match.end(),
                word := match.group(),
                word.lower(),
                ("sign", "number", "word")[match.lastindex or 0],
            )
            for match in _PIECE.finditer(text)
        ]
        self._nothing = TextPiece(len(text), len(text), "", "", "sign")
        self.length = len(self.all)

    def at(self, place: int) -> TextPiece:
        """The piece at a place."""
        return self.all[place] if 0 <= place < self.length else self._nothing

    def lower(self, place: int) -> str:
        """The piece at a place in lower case."""
        return self.all[place].lower if 0 <= place < self.length else ""

    def touches(self, place: int) -> bool:
        """Whether nothing stands between the piece at a place and the next one."""
        return 0 <= place < self.length - 1 and self.all[place].end == self.all[place + 1].start

    def spaced(self, place: int) -> bool:
        """Whether one white space, or nothing, stands between the piece at a place and the next one."""
        return 0 <= place < self.length - 1 and self.all[place + 1].start - self.all[place].end <= 1

    def opens(self, place: int) -> bool:
        """Whether a sentence begins at a place."""
        if place <= 0:
            return True
        before = self.all[place - 1]
        if before.text in "\"“‘'([" and place > 1:
            before = self.all[place - 2]
        return self.ends_sentence(place - 1) or before.text in (":", "•", "*")

    def ends_sentence(self, place: int) -> bool:
        """Whether the sign at a place ends a sentence."""
        sign = self.at(place)
        if sign.text not in _STOPS or self.touches(place):
            return False
        return (
            sign.text != "." or self.lower(place - 1) not in context_words().abbreviations or place == self.length - 1
        )

    def sentence(self, place: int, reach: int = 40) -> tuple[int, int]:
        """The first place and the place after the last one of the sentence around a place, within reach."""
        first = place
        while first > 0 and place - first < reach and not self.ends_sentence(first - 1):
            first -= 1
        last = place
        while last < self.length and last - place < reach and not self.ends_sentence(last):
            last += 1
        return first, last
