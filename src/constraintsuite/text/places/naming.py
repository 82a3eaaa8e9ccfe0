"""Words that call a name a place: the village of X, the Duke of X, X, a town in Y, X is a tributary of Y."""

from __future__ import annotations

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.surroundings import MARKS, PlaceSurroundings
from constraintsuite.text.places.words import (
    levels_of_class_nouns,
    levels_of_definitions,
    levels_of_rulers,
    place_words,
)

_SORTS = {
    "city": ("city", "district", "country"),
    "district": ("city", "district"),
    "region": ("region", "country", "island", "natural"),
    "country": ("country", "region", "island"),
    "island": ("island", "country", "region"),
    "natural": ("natural",),
}
"""The levels of the gazetteer that a class noun can mean."""
_SMALL = frozenset(("village", "hamlet", "settlement", "castle"))
_LARGE_FOR_VILLAGE = 100
_APPOSITION_WORDS, _DEFINITION_WORDS = 4, 6


def is_called_place(around: PlaceSurroundings) -> bool:
    """Whether the words beside a name call it a place; if so, its level is noted."""
    return (
        _follows_class_noun(around)
        or _follows_ruler(around)
        or _follows_water(around)
        or _has_apposition(around)
        or _is_defined(around)
        or _precedes_class_noun(around)
    )


def _follows_class_noun(around: PlaceSurroundings) -> bool:
    """The village of Vaksdal, the centre of Marlenfurt."""
    noun, levels, one = around.before.noun, levels_of_class_nouns(), around.one
    if around.before.preposition != "of" or noun not in levels:
        return False
    if not one.options or levels[noun] != "district":  # a suburb of Chicago
        one.level = one.level or levels[noun]
        _narrow(one, noun)
    return bool(one.options) or around.ends_phrase


def _narrow(one: Candidate, noun: str) -> None:
    """Keep the entries that are what a class noun says: the county of Durham is no city."""
    sorts = _SORTS.get(one.level, ())
    limit = _LARGE_FOR_VILLAGE if noun in _SMALL else 10**9
    one.options = tuple(place for place in one.options if place.level in sorts and place.thousands < limit)


def _follows_ruler(around: PlaceSurroundings) -> bool:
    """The Duke of Averenne, the ambassador of Veldania; not the king of the Mercians, the Prince of Darkness."""
    before, levels = around.before, levels_of_rulers()
    if around.one.options or before.preposition != "of" or before.noun not in levels or before.has_article:
        return False
    around.one.level = levels[before.noun]
    return around.name not in place_words().not_ruled and around.ends_phrase


def _follows_water(around: PlaceSurroundings) -> bool:
    """The river Bârzava."""
    words = around.before.words
    if around.one.options or around.before.has_article or words[-1:] not in (["river"], ["lake"], ["volcano"]):
        return False
    around.one.level, around.one.outer = "natural", None  # a river in Romania may go on elsewhere
    return words[-2:-1] in (["the"], ["of"])


def _has_apposition(around: PlaceSurroundings) -> bool:
    """Brennhold, a mining town that ..."""
    after, lists = around.after, place_words()
    if after[:1] != [","] or after[1:2] not in (["a"], ["an"], ["the"]):
        return False
    for place, word in enumerate(after[2 : 2 + _APPOSITION_WORDS], 2):
        if word in lists.appositions and _ends_phrase(after, place):
            around.one.level = around.one.level or levels_of_class_nouns().get(word, "city")
            return True
        if word in MARKS:
            break
    return False


def _is_defined(around: PlaceSurroundings) -> bool:
    """A sentence that begins with a name and says what place it is: "Alnwick is a market town in ..."."""
    after, one, text = around.after, around.one, around.text
    if after[:1] not in (["is"], ["was"]) or after[1:2] not in (["a"], ["an"], ["the"]):
        return False
    if not text.opens_sentence(one.start) and not text.opens_sentence(one.start - len("The ")):
        return False
    levels = levels_of_definitions()
    for place, word in enumerate(after[2 : 2 + _DEFINITION_WORDS], 2):
        if word in levels and _ends_phrase(after, place):
            one.level, one.is_defined = one.level or levels[word], True
            return True
        if word in MARKS or word in ("of", "in", "that", "by"):
            break
    return False


def _precedes_class_noun(around: PlaceSurroundings) -> bool:
    """In the Nordhaven district of Stromby."""
    before, after, levels = around.before, around.after, levels_of_class_nouns()
    if around.one.options or not before.has_article or before.preposition not in place_words().locative:
        return False
    if not after or after[0] not in levels or after[1:2] != ["of"]:
        return False
    around.one.level = levels[after[0]]
    return True


def _ends_phrase(words: list[str], place: int) -> bool:
    """Whether a noun is the last of its phrase: a town, a town in, a town councillor."""
    return place + 1 == len(words) or words[place + 1] in place_words().followers or words[place + 1] in MARKS
