"""The words of a text that begin with a capital, and the words around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import NamedTuple

from constraintsuite.text.places.gazetteer import without_marks

_CAPITAL = re.compile(
    r"(?<![\w'])(?:(?:[A-Z]\.){2,}|(?:St|Mt|Ft)\.(?= )|[A-Z]\.(?= )|[A-Z]\w*(?:'(?!s\b)\w+|[-–]\w+)*)"
)
_SENTENCE_END = re.compile(r"""[.!?…]["')\]”]*\s+(?=["'(\[“]?[A-Z0-9])|\n+|[•▪|]""")
_ABBREVIATIONS = frozenset(
    (
        "St",
        "Mt",
        "Ft",
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Prof",
        "Rev",
        "Gen",
        "Col",
        "Sgt",
        "Capt",
        "Jr",
        "Sr",
        "No",
        "vs",
        "ca",
        "c",
        "b",
        "d",
    )
)
_QUOTED = re.compile(r'["“][^"“”\n]{1,80}["”]')
_LAST_WORD = re.compile(r"\w+$")
_JOINS = frozenset((" ", "- "))
_CONTEXT = 140
_LONGEST_CHAIN = 12
_OPENING = 6
_STRIPPED = ".,;:!?()[]\"'“”"


class Capital(NamedTuple):
    """A word with a capital."""

    start: int
    end: int
    text: str


class PlainText:
    """A text without diacritics, with its capitals, sentences and quotations."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = without_marks(text)
        self.capitals = [Capital(match.start(), match.end(), match[0]) for match in _CAPITAL.finditer(self.plain)]
        self._starts = [
            0,
            *(match.end() for match in _SENTENCE_END.finditer(self.plain) if _ends(self.plain, match.start())),
        ]

    def sentence_start(self, at: int) -> int:
        """Where the sentence of a place begins."""
        return self._starts[bisect_right(self._starts, at) - 1]

    def sentence_end(self, at: int) -> int:
        """Where the sentence of a place ends."""
        number = bisect_right(self._starts, at)
        return self._starts[number] if number < len(self._starts) else len(self.plain)

    def gap(self, first: int) -> str:
        """What stands between a capital and the one before it."""
        return self.plain[self.capitals[first - 1].end : self.capitals[first].start] if first else "^"

    def is_joined(self, number: int) -> bool:
        """Whether only a space stands between a capital and the one before it, in one sentence."""
        if number == 0 or self.gap(number) not in _JOINS:
            return False
        return self.capitals[number].start not in self._start_set

    def chain_start(self, number: int) -> int:
        """The first of the joined capitals that a capital is in, at most a few before it."""
        first = number
        while first > max(0, number - _LONGEST_CHAIN) and self.is_joined(first):
            first -= 1
        return first

    def capital_before(self, at: int) -> int | None:
        """The number of the last capital before a place."""
        number = bisect_left(self.capitals, (at,)) - 1
        return number if number >= 0 else None

    @cached_property
    def _start_set(self) -> frozenset[int]:
        return frozenset(self._starts)

    @cached_property
    def _quotes(self) -> list[tuple[int, int]]:
        return [match.span() for match in _QUOTED.finditer(self.plain) if _is_title(match[0])]

    def is_in_title(self, start: int, end: int) -> bool:
        """Whether a span lies in quotation marks around words that nearly all have capitals."""
        at = bisect_right(self._quotes, (start, len(self.plain)))
        return at > 0 and self._quotes[at - 1][0] <= start and end <= self._quotes[at - 1][1]

    def opens_sentence(self, at: int) -> bool:
        """Whether a sentence begins at a place, or a quotation or bracket in it."""
        start = self.sentence_start(max(at, 0))
        return 0 <= at - start <= _OPENING and not self.plain[start:at].strip(" \"'(“[*-")

    def words_before(self, at: int) -> list[str]:
        """The words before a place in its sentence, in lower case; a comma or bracket after a word is a word."""
        start = max(self.sentence_start(at), at - _CONTEXT)
        return _split(self.plain[start:at])

    def spans_before(self, at: int) -> list[tuple[int, int]]:
        """Where the words before a place are."""
        start = max(self.sentence_start(at), at - _CONTEXT)
        return [match.span() for match in _WORD.finditer(self.plain, start, at)]

    def words_after(self, at: int) -> list[str]:
        """The words after a place in its sentence, in the same form."""
        return _split(self.plain[at : min(self.sentence_end(at), at + _CONTEXT)])

    def words_around(self, start: int, end: int) -> list[str]:
        """The words near a span, in this sentence and its neighbours; the parts of a word with hyphens are words."""
        near = self.plain[max(0, start - _CONTEXT) : start] + " " + self.plain[end : end + _CONTEXT]
        return _split(near.replace("-", " "))


_WORD = re.compile(r"[\w$€£%]+(?:['.-]\w+)*|[,;:()\"“”—]")


def _split(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _ends(plain: str, at: int) -> bool:
    word = _LAST_WORD.search(plain, max(0, at - 12), at)
    return word is None or _is_ending(word[0])


def _is_ending(word: str) -> bool:
    return word not in _ABBREVIATIONS and not (len(word) == 1 and word.isupper())


def _is_title(quoted: str) -> bool:
    words = [word for word in quoted.strip('"“”').split() if len(word) > 3]
    return len(quoted) < 20 or sum(word[0].isupper() for word in words) * 2 > len(words)
