"""The noun that a number counts: six people, two television works, a two-bedroom flat."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.vocabulary import vocabulary
from constraintsuite.text.readings import readings

_HYPHENS = frozenset("-‐‑")
_MOST_MODIFIERS = 3
_IRREGULAR = {
    "people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman", "police": "police",
    "wives": "wife", "lives": "life", "knives": "knife", "leaves": "leaf", "loaves": "loaf", "halves": "half",
    "feet": "foot", "teeth": "tooth", "mice": "mouse", "geese": "goose", "colours": "colour",
}  # fmt: skip


class CountedNoun(NamedTuple):
    """A counted noun: its singular and the place after it."""

    noun: str
    after: int
    hyphen: bool = False


def find_counted(pieces: Pieces, at: int) -> CountedNoun | None:
    """The plural noun that begins at a place, after modifiers such as adjectives; or the noun that a hyphen joins."""
    if pieces.lower(at) in _HYPHENS:
        return _joined(pieces, at) if pieces.touches(at - 1) and pieces.touches(at) else None
    place = at
    for _ in range(_MOST_MODIFIERS + 1):
        place += _abbreviation(pieces, place)
        piece = pieces.at(place)
        if piece.kind != "word" or not pieces.spaced(place - 1) or pieces.touches(place - 1):
            return None
        compound = _compound_end(pieces, place)
        noun = None if compound > place else singular_of(piece.lower)
        if noun is not None:
            head = _further_head(pieces, place)
            return _checked(pieces, at, *(head or (noun, place)))
        if compound == place and not _modifies(piece.lower):
            return None
        place = compound + 1
    return None


def _abbreviation(pieces: Pieces, place: int) -> int:
    """The number of pieces of an abbreviation with points, such as U.S."""
    length = 0
    while len(pieces.at(place + length).text) == 1 and pieces.at(place + length).text.isupper():
        if pieces.lower(place + length + 1) != "." or length > 4:
            break
        length += 2
    return length if length > 2 else 0


def _checked(pieces: Pieces, first: int, noun: str, place: int) -> CountedNoun | None:
    """The noun unless it belongs to a name, to a possessor or to another number; "two César Awards" do count."""
    if pieces.at(place).text[0].isupper():
        named = place > first and pieces.at(first).text[0].isupper()
        if not named or not pieces.at(first - 1).text.islower():
            return None
    if noun in vocabulary().words.not_counted:
        return None
    following = pieces.at(place + 1)
    if following.text in "'’" and pieces.touches(place) and pieces.lower(place + 2) == "s":
        return None
    return CountedNoun(noun, place + 1)


def _further_head(pieces: Pieces, place: int) -> tuple[str, int] | None:
    """The head of a compound whose first noun looks like a plural: sports clubs, series matches."""
    following = pieces.at(place + 1)
    if following.kind != "word" or not pieces.spaced(place) or pieces.touches(place) or following.text[0].isupper():
        return None
    if pieces.lower(place) not in ("sports", "series", "arms", "sales", "news", "species", "goods", "people"):
        return None
    noun = singular_of(following.lower)
    verb = any(reading.pos == "VERB" for reading in readings(following.lower))
    return (noun, place + 1) if noun is not None and not verb else None


def _joined(pieces: Pieces, at: int) -> CountedNoun | None:
    """The noun in two-bedroom or 50-seat."""
    piece = pieces.at(at + 1)
    if piece.kind != "word" or not piece.text.islower() or piece.lower in vocabulary().words.glued_nouns:
        return None
    if pieces.touches(at + 1) and (pieces.at(at + 2).text in _HYPHENS or pieces.at(at + 2).kind != "sign"):
        return None
    tags = {reading.tag for reading in readings(piece.lower)}
    if "NN" not in tags or len(piece.text) < 3 or piece.lower.endswith(("ed", "ing")):
        return None
    return CountedNoun(piece.lower, at + 2, hyphen=True)


def _compound_end(pieces: Pieces, place: int) -> int:
    """The last place of a word with hyphens such as first-class, or the place itself."""
    while (
        pieces.lower(place + 1) in _HYPHENS
        and pieces.touches(place)
        and pieces.spaced(place + 1)
        and pieces.at(place + 2).kind == "word"
    ):
        place += 2
    return place


@lru_cache(maxsize=50_000)
def singular_of(word: str) -> str | None:
    """The singular of a word in lower case that can be a plural noun."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    words = vocabulary().words
    if word in words.invariant:
        return word
    if word in words.no_modifiers or word in words.not_counted or len(word) < 3:
        return None
    return next((reading.lemma.lower() for reading in readings(word) if reading.tag == "NNS"), None)


@lru_cache(maxsize=50_000)
def _modifies(word: str) -> bool:
    """Whether a word can stand between a number and its noun."""
    words = vocabulary().words
    if word in words.several_more:
        return True
    if word in words.no_modifiers or len(word) < 3 or word in words.months:
        return False
    return any(
        reading.pos in ("ADJ", "NOUN") or (reading.pos == "VERB" and reading.tag in ("VBG", "VBN"))
        for reading in readings(word)
    )
