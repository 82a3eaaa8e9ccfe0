"""Whether a word is part of a title or name: Men Without Hats, "No Rain", Fujiwara no Korenari."""

from __future__ import annotations

from constraintsuite.text.readings import in_dictionary
from constraintsuite.text.sentence import QUOTES, Sentence

_LINKS = frozenset(("of", "the", "a", "an", "to", "in", "for", "and", "on", "with", "from", "i"))
_OPENERS = QUOTES | {":", "(", "[", "-", "–", "—", ";"}
_DEFINING = frozenset(("is", "was", "are", "were"))
_BEFORE_NAMES = frozenset(("no", "not", "neither", "nor"))
_OF_WORKS = frozenset(("stars", "starred", "features", "featured", "tells", "follows"))
_HEADLINE = 2
_SHORT_WORD = 3
_LONG_TITLE = 2


def is_in_name(sentence: Sentence, first: int, last: int) -> bool:
    """Whether the words from `first` up to `last` belong to a name, judged by the capitals around them."""
    at = first - 1 if sentence.words[first] == "n't" else first
    if not _is_capital(sentence, at):
        particle = (
            sentence.words[first] == "no" and _is_capital(sentence, first - 1) and _is_capital(sentence, first + 1)
        )
        return particle and not in_dictionary(sentence.word(first + 1))
    if at == 0 or sentence.words[at - 1] in _OPENERS:
        if not _follows_capital(sentence, first):
            return False
        if _is_defined(sentence, last):
            return True
        named = at > 0 and sentence.words[at - 1] in QUOTES
    else:
        after_name = _is_capital(sentence, at - 1) and (at > 1 or sentence.pos(at - 1) in ("PROPN", "NOUN"))
        named = after_name or _follows_capital(sentence, first)
    return named and not _is_headline(sentence)


def _is_capital(sentence: Sentence, at: int) -> bool:
    return 0 <= at < sentence.length and sentence.tokens[at].text[0].isupper()


def _follows_capital(sentence: Sentence, first: int) -> bool:
    """Whether the next word that is not a link word begins with a capital."""
    place = first + 1
    while sentence.word(place) in _LINKS:
        place += 1
    return _is_capital(sentence, place)


def _is_defined(sentence: Sentence, last: int) -> bool:
    """Whether a sentence opens with a title that it defines: "Without Remorse is a 2021 film", "Nothing Else Matters has a solo"."""
    place, capitals = last, 0
    while _is_capital(sentence, place) or sentence.word(place) in _LINKS:
        capitals += _is_capital(sentence, place)
        place += 1
    defined = sentence.word(place) in _DEFINING and sentence.word(place + 1) in ("a", "an", "the")
    defined = defined or (capitals >= _LONG_TITLE and sentence.word(place) in _OF_WORKS)
    long = capitals >= _LONG_TITLE and sentence.is_finite(place) and sentence.words[last - 1] not in _BEFORE_NAMES
    also = sentence.words[place : place + 3] == (",", "also", "known")
    return defined or long or also or sentence.word(place) == "("


def _is_headline(sentence: Sentence) -> bool:
    """Whether hardly any word is written small, so that a capital says nothing."""
    return sum(len(token.text) >= _SHORT_WORD and token.text.islower() for token in sentence.tokens) < _HEADLINE
