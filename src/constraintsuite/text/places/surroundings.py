"""The words beside a name: the preposition before it, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.words import place_words
from constraintsuite.text.readings import readings

MARKS = frozenset(',;:()"“”—')
_JOINED = frozenset((",", "and", "or", ", and", ", or", "and in", "or in", "&", "/"))


class Before(NamedTuple):
    """What stands before a name, past articles and modifiers."""

    words: list[str]
    """All words of the sentence up to the preposition."""
    preposition: str
    noun: str
    """The word before the preposition."""
    has_article: bool


@dataclass(frozen=True, slots=True)
class PlaceSurroundings:
    """A candidate with the words beside it."""

    text: PlainText
    one: Candidate
    before: Before
    after: list[str]
    follower: str
    """The word that follows after a space, unless it is a small word."""
    follower_kind: str
    """Its kind: "noun", "verb", "noun or verb" or "capital"; "" if a small word, a mark or nothing follows."""

    @property
    def name(self) -> str:
        """The name, without diacritics."""
        return self.text.plain[self.one.start : self.one.end]

    @property
    def ends_phrase(self) -> bool:
        """Whether the name is no adjective of a noun that follows."""
        return self.follower_kind in ("", "verb", "noun or verb")

    @property
    def is_attributive(self) -> bool:
        """Whether a noun follows that a place can stand before: the New York legislature."""
        return "noun" in self.follower_kind and self.follower in place_words().attributive


def look_around(text: PlainText, one: Candidate) -> PlaceSurroundings:
    """The words beside a candidate."""
    after = text.words_after(one.end)
    follower, kind = _follower(text, one, after)
    return PlaceSurroundings(text, one, look_before(text, one.start), after, follower, kind)


def look_before(text: PlainText, at: int) -> Before:
    """The words before a place in a text."""
    lists = place_words()
    words = text.words_before(at)
    place = len(words) - 1
    while place >= 0 and (words[place] in lists.modifiers or words[place] in lists.directions):
        place -= 1
    preposition = words[place] if place >= 0 else ""
    noun = words[place - 1] if place > 0 else ""
    return Before(words[: place + 1], preposition, noun, "the" in words[place + 1 :])


def is_listed(text: PlainText, previous: Candidate, one: Candidate) -> bool:
    """Whether only a comma, "and" or "or" stands between two names."""
    return text.plain[previous.end : one.start].strip(" ").removesuffix(" the").strip(" ") in _JOINED


def _follower(text: PlainText, one: Candidate, after: list[str]) -> tuple[str, str]:
    if text.plain[one.end : one.end + 1] != " " or not after or not after[0][0].isalpha():
        return "", ""
    word = after[0]
    if word in place_words().followers:
        return "", ""
    if text.plain[one.end + 1].isupper():
        return word, "capital"
    tags = {reading.tag for reading in readings(word)}
    if not tags & {"NN", "NNS"} or "VBD" in tags:
        return word, "verb"
    return word, "noun or verb" if tags & {"VBZ", "VBP"} else "noun"
