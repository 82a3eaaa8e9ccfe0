"""Words before and after a number that limit it or make it approximate: under, at least, about, or more."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.text.quantities.quantity import QuantityBound
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.vocabulary import WordSequence, context_words, vocabulary

_MOST_PHRASES = 4


class Limit(NamedTuple):
    """What the words around a number say about it."""

    place: int
    """The first place of the words before a number, or the place after the words that follow it."""
    bound: QuantityBound = ""
    approximate: bool = False


def limit_before(pieces: Pieces, at: int) -> Limit:
    """The limit that ends right before a place, such as "just under" and "up to about"."""
    first, bound, approximate, start = at, "", False, at
    for _ in range(_MOST_PHRASES):
        if pieces.lower(start - 1) == "a" and start == at and pieces.lower(start - 2) == "as":
            start -= 1  # as much as a 50 % increase
        found = _phrase_before(pieces, start)
        if found is None:
            break
        phrase, kind = found
        start -= len(phrase)
        if kind is None:
            approximate = True
        elif kind:
            if bound or (approximate and phrase == ("over",)) or _spreads(pieces, start, phrase):
                break  # extends over some 2,000 acres
            bound = kind
        else:
            continue
        first = start
    return Limit(first, _bound(bound), approximate)


def limit_after(pieces: Pieces, at: int) -> Limit:
    """The limit that begins at a place, such as "or more"; "at least" before another number belongs to that one."""
    for phrase, kind in vocabulary().after.get(pieces.lower(at), ()):
        after = at + len(phrase)
        if not _matches(pieces, at, phrase):
            continue
        if phrase[0] in ("at", "max", "maximum", "minimum", "approximately", "approx") and (
            pieces.at(after).kind == "number" or pieces.lower(after) in ("of", "one", "two", "three", "once", "twice")
        ):
            continue
        if phrase[0] in ("maximum", "max", "minimum") and pieces.at(after).kind == "word":
            continue
        return Limit(after, _bound(kind or ""), kind is None)
    return Limit(at)


def sides(bound: QuantityBound, value: float) -> tuple[float | None, float | None]:
    """The interval that a bound makes of one value."""
    if bound in ("under", "at most"):
        return None, value
    if bound in ("over", "at least"):
        return value, None
    return value, value


def _spreads(pieces: Pieces, at: int, phrase: WordSequence) -> bool:
    """Whether "over" says where something lies, and "up" belongs to the verb: spread over 20 acres, adds up to 20."""
    before = pieces.lower(at - 1)
    return (phrase == ("over",) and before in context_words().spreading) or (
        phrase == ("up", "to") and before in context_words().up_verbs
    )


def _bound(kind: str) -> QuantityBound:
    match kind:
        case "under" | "over" | "at most" | "at least":
            return kind
    return ""


def _phrase_before(pieces: Pieces, at: int) -> tuple[WordSequence, QuantityBound | None] | None:
    for phrase, kind in vocabulary().before.get(pieces.lower(at - 1), ()):
        if _matches(pieces, at - len(phrase), phrase):
            return phrase, kind
    return None


def _matches(pieces: Pieces, at: int, phrase: WordSequence) -> bool:
    return at >= 0 and all(pieces.lower(at + offset) == word for offset, word in enumerate(phrase))
