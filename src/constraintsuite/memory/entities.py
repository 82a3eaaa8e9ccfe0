"""The one form under which all mentions of an entity meet, and the entities that a text names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from constraintsuite.memory.graph import BoolArray

_SPACE = re.compile(r"\s+")
_APOSTROPHES = str.maketrans("’‘ʼ＇", "''''")
_ARTICLES = re.compile(r"(?:(?:the|an?) )+(?=\S)")
_POSSESSIVE = re.compile(r"(?<=[^'\s])(?:'s?)+$")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def normalise_entity(name: str) -> str:
    """A name without case, compatibility characters, spare white space, leading article and possessive.

    What has been normalised stays as it is; a name of nothing but an article is kept.
    """
    folded = _fold(name)
    return _POSSESSIVE.sub("", _ARTICLES.sub("", folded, count=1) if _ARTICLES.match(folded) else folded)


def _fold(text: str) -> str:
    if text.isascii():  # the common case, eight times as fast
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_APOSTROPHES)
    return _SPACE.sub(" ", folded).strip()


class EntityFinder:
    """Finds known entities in a text: between word boundaries, from left to right, the longest where several begin."""

    def __init__(self, names: Sequence[str]) -> None:
        self._numbers: dict[str, list[int]] = {}  # by form; all of them, because the first may not be asked for
        self._longest: dict[str, int] = {}  # by first token: how many tokens its longest name has
        for number, name in enumerate(names):
            form = normalise_entity(name)
            tokens = _TOKEN.findall(form)
            if tokens:
                self._numbers.setdefault(form, []).append(number)
                self._longest[tokens[0]] = max(self._longest.get(tokens[0], 0), len(tokens))

    def find(self, text: str, among: BoolArray | None = None) -> list[int]:
        """Positions in `names` of the entities, each once, in the order in which they are first named; with `among`, as if
        the others were not known."""
        folded = _fold(text)
        tokens = list(_TOKEN.finditer(folded))
        found: dict[int, None] = {}
        at = 0
        while at < len(tokens):
            most = min(self._longest.get(tokens[at].group(), 0), len(tokens) - at)
            for count in range(most, 0, -1):
                numbers = self._numbers.get(folded[tokens[at].start() : tokens[at + count - 1].end()], ())
                number = next((one for one in numbers if among is None or among[one]), None)
                if number is not None:
                    found[number] = None
                    at += count - 1
                    break
            at += 1
        return list(found)
