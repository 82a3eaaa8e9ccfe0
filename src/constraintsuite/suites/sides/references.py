"""References: named things of a corpus with a value that its other texts can be compared with, such as Casablanca and its year."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.records.text import Document
from constraintsuite.suites.sides.limits import LEAST_ON_EACH_SIDE, KnownValues
from constraintsuite.text.mentions import MentionFinder, fold

LEAST_MENTIONS = 2
"""A thing that as many other documents name is known."""
MOST_REFERENCES = 12
"""Things that the documents of one topic are compared with."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A thing with a name of its own, and the documents that name it besides its own."""

    number: int
    name: str
    mentions: int

    @property
    def bare_name(self) -> str:
        """The name without its article."""
        return _ARTICLE.sub("", self.name)

    @property
    def is_known(self) -> bool:
        """Whether others speak of it."""
        return self.mentions >= LEAST_MENTIONS

    @property
    def speaks_for_itself(self) -> bool:
        """Whether a query may name it without saying its value; one word may be a word of the language too."""
        return self.is_known and " " in self.bare_name


ReadDocuments = Callable[[], Iterable[tuple[int, Document]]]
"""Reads the documents of a corpus with their numbers, as often as it is called."""


def find_references(
    passages: ReadDocuments, numbers: Collection[int], class_nouns: Collection[str]
) -> dict[int, Reference]:
    """Those of the documents that are about a thing with a name that no other document has as its title."""
    named: dict[int, str] = {}
    for number, document in passages():
        name = find_name(document.title, document.text) if number in numbers else ""
        if name and fold(name) not in class_nouns:
            named[number] = name
    titles, mentions = _count(passages, named)
    return {
        number: Reference(number, name, mentions[name.removeprefix("the ")])
        for number, name in named.items()
        if titles[_title_key(name)] == 1
    }


def find_name(title: str, text: str) -> str:
    """The name of the thing that a text is about, as a sentence has it; empty if its title is no such name.

    The text itself must use the title, with its capitals. A title that needs brackets to be told apart is ambiguous.
    """
    bare = _ARTICLE.sub("", title)
    if not bare[:1].isupper() or not _NAME.fullmatch(bare):
        return ""
    places = re.finditer(rf"\b([Tt]he )?{re.escape(bare)}(?!\w)", text)
    found = [match.group(1) or "" for match in places if _is_whole(text, match.start(), match.end())]
    if not found:
        return ""
    if bare != title:
        return f"the {bare}" if "the " in found else title
    return f"the {bare}" if all(found) else bare


_ARTICLE = re.compile(r"^[Tt]he ")
_NAME = re.compile(r"[\w'’.& -]*[\w.]")
"""A name has no brackets, colons, commas or question marks."""
_BRACKETS = re.compile(r"\s*\([^()]*\)$")


def _title_key(name: str) -> str:
    return fold(_ARTICLE.sub("", _BRACKETS.sub("", name)))


def _count(passages: ReadDocuments, named: Mapping[int, str]) -> tuple[Counter[str], Counter[str]]:
    """How many documents have each name as their title, and how many others name it."""
    keys = {_title_key(name) for name in named.values()}
    written = {number: name.removeprefix("the ") for number, name in named.items()}
    finder = MentionFinder({name: (name,) for name in written.values()})
    titles: Counter[str] = Counter()
    mentions: Counter[str] = Counter()
    for number, document in passages():
        key, text = _title_key(document.title), document.text
        titles[key] += key in keys
        found = {
            one.key
            for one in finder.find(text)
            if one.span.of(text) == one.key and _is_whole(text, one.span.start, one.span.end)
        }
        mentions.update(found - {written.get(number)})
    return titles, mentions


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a name at this place is no part of a longer one."""
    return not (_LONGER_BEFORE.search(text[:start]) or _LONGER_AFTER.match(text[end:]))


_LONGER_BEFORE = re.compile(r"(?<![.!?] )\b[^\W\d_a-z]\w* $")
_LONGER_AFTER = re.compile(r" [^\W_a-z]")


def choose_references(
    references: Mapping[int, Reference], values: KnownValues, *, known_only: bool
) -> list[tuple[Reference, float]]:
    """Things with exact values, each value once: those that most others name and, of these, those that divide most evenly."""
    lows, highs = (np.sort([getattr(one, end) for one in values.values()]) for end in ("low", "high"))
    best: dict[float, Reference] = {}
    for number, stated in values.items():
        one, value = references.get(number), stated.exact
        if one is not None and value is not None and value % 1 == 0 and (one.is_known or not known_only):
            best[value] = min(best.get(value, one), one, key=lambda each: (-each.mentions, each.name))
    smaller = {
        value: min(int(np.searchsorted(highs, value)), len(lows) - int(np.searchsorted(lows, value, "right")))
        for value in best
    }
    usable = [value for value in best if smaller[value] >= LEAST_ON_EACH_SIDE]
    usable.sort(key=lambda value: (-best[value].mentions, -smaller[value], value))
    return [(best[value], value) for value in usable[:MOST_REFERENCES]]
