"""How well the words around a name say that it is a place, and how well they must."""

from __future__ import annotations

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.lookalikes import (
    is_bare_something_else,
    is_part_of_name,
    is_something_else,
    is_team_or_event,
)
from constraintsuite.text.places.naming import is_called_place
from constraintsuite.text.places.surroundings import MARKS, Before, PlaceSurroundings, is_listed, look_around
from constraintsuite.text.places.words import place_words
from constraintsuite.text.readings import in_dictionary

SURE, IN_PLACE, LIKELY, BARE, NONE, ELSE = 3, 2, 1, 0, -1, -2
"""Called a place; after "in" and its like; after "to", "from" and their like; without a preposition; no place; something else."""
_LARGE, _MIDDLING = 300, 100
_ENGLISH = frozenset(("US", "GB", "CA", "AU", "NZ", "IE"))
_ALWAYS_ADJECTIVES = frozenset(("US", "GB"))
_LARGER = frozenset(("region", "continent", "country"))
_UNKNOWN_WINDOW = 3
_COPULAS = frozenset(("is", "are", "was", "were", "not", "lies", "stands"))
_COPULA_WINDOW = 8


def weigh(text: PlainText, one: Candidate, previous: Candidate | None) -> int:
    """How sure a candidate is by the words around it. `previous` is the candidate before, which may be in the same list."""
    if not one.fits or one.is_code:
        return ELSE if not one.fits else NONE
    around = look_around(text, one)
    is_inside = previous is not None and previous.outer is one and previous.strength >= LIKELY
    if is_something_else(around) or (not is_inside and is_part_of_name(around)):
        return ELSE
    if one.hint or is_called_place(around):
        return SURE if one.options or _may_be_unknown(around) else NONE
    if not one.options:
        return _weigh_unknown(around) if _may_be_unknown(around) else NONE
    strength = _weigh_listed(around, previous, _by_preposition(around.before))
    if strength < LIKELY and is_bare_something_else(around):
        return NONE
    if strength < IN_PLACE and is_team_or_event(around):
        return NONE
    return _by_follower(around, strength)


def _weigh_listed(around: PlaceSurroundings, previous: Candidate | None, strength: int) -> int:
    """The strength of a name in a list, which is at least that of the name before, and none if that one is none."""
    if previous is None or strength == NONE or not is_listed(around.text, previous, around.one):
        return strength
    if previous.strength >= LIKELY:
        return max(strength, min(previous.strength, IN_PLACE))
    if previous.strength >= BARE or strength >= IN_PLACE:
        return strength
    is_name = not previous.fits or not previous.options or is_part_of_name(look_around(around.text, previous))
    return NONE if is_name else strength  # Presidents Truman and Kennedy, Maria of Naples and Sicily


def _by_preposition(before: Before) -> int:
    lists = place_words()
    if before.preposition in lists.locative or before.preposition in lists.negative_prepositions:
        return IN_PLACE
    if before.preposition == "of":
        if before.noun in lists.art_nouns:
            return NONE
        return IN_PLACE if before.noun in lists.of_nouns else BARE
    return LIKELY if before.preposition in lists.doubtful else BARE


def _by_follower(around: PlaceSurroundings, strength: int) -> int:
    """The strength, changed by a noun that follows: Brussels sprouts, the New York legislature."""
    if "noun" not in around.follower_kind:
        return strength
    if around.follower in place_words().animals_and_foods:
        return NONE
    if around.is_attributive:
        return max(strength, LIKELY)
    if around.follower_kind == "noun or verb" or strength >= IN_PLACE:
        return strength
    options = around.one.options
    is_usual = any(place.level in _LARGER or place.country in _ALWAYS_ADJECTIVES for place in options)
    return strength if is_usual and any(place.level != "city" for place in options) else NONE


def _weigh_unknown(around: PlaceSurroundings) -> int:
    """The strength of a name that the gazetteer does not have: Mount Orrendale, born in Pellworth, a hotel in Pardubel."""
    one, before, lists = around.one, around.before, place_words()
    if not around.ends_phrase and not (one.is_sure and around.is_attributive):
        return NONE
    if around.follower_kind == "noun or verb" and not one.is_sure:
        return NONE
    if one.is_sure:
        return IN_PLACE
    if one.level:
        is_placed = before.preposition in lists.locative or before.preposition in lists.doubtful
        return IN_PLACE if is_placed or before.has_article else NONE
    if before.has_article:
        return NONE
    if before.preposition == "to":
        return IN_PLACE if before.noun in lists.unknown_after_to else NONE
    if before.preposition in ("near", "at", "outside"):
        return IN_PLACE if before.noun in lists.unknown_after else NONE
    return IN_PLACE if before.preposition == "in" and _is_said_of_places(around) else NONE


def _may_be_unknown(around: PlaceSurroundings) -> bool:
    """Whether a name that the gazetteer does not have can be one: no English word, and no owner of what follows."""
    return around.text.plain[around.one.end : around.one.end + 1] != "'" and not in_dictionary(around.name.lower())


def _is_said_of_places(around: PlaceSurroundings) -> bool:
    """Whether the words before "in" take a place: born in, a hotel in, the Hotel Linde in."""
    text, lists, words = around.text, place_words(), around.before.words
    window = words[-1 - _UNKNOWN_WINDOW : -1]
    while not MARKS.isdisjoint(window):
        window = window[1:]
    if not lists.unknown_after.isdisjoint(window) or around.before.noun in lists.venues:
        return True
    if around.before.noun in _COPULAS and not lists.venues.isdisjoint(words[-1 - _COPULA_WINDOW :]):
        return True  # the Pension Rosner is not in Altmarch
    last = text.capital_before(around.one.start)
    if last is None or text.plain[text.capitals[last].end : around.one.start].strip() != "in":
        return False
    chain = range(text.chain_start(last), last + 1)
    return any(text.capitals[number].text.lower() in lists.venues for number in chain)


def need(text: PlainText, one: Candidate, surnames: frozenset[str]) -> int:
    """The strength from which a candidate is taken as a place."""
    lists = place_words()
    name = text.plain[one.start : one.end]
    if name in lists.common_words:
        return SURE
    if name in lists.with_article:
        return BARE
    if name in surnames:
        return IN_PLACE
    if name in lists.weak:
        return BARE if _is_geography(text, one) else IN_PLACE
    usual = LIKELY if name in lists.surnames else BARE
    return max(usual, _need_of_options(one))


def _need_of_options(one: Candidate) -> int:
    """What the places of a name need: little for a country or a large city, more for a small town."""
    if not one.options:
        return IN_PLACE
    if any(place.level != "city" or place.is_capital for place in one.options):
        return BARE
    people = max(place.thousands for place in one.options)
    if people >= _LARGE:
        return BARE
    is_english = any(place.country in _ENGLISH for place in one.options)
    return IN_PLACE if is_english and people < _MIDDLING else LIKELY


def _is_geography(text: PlainText, one: Candidate) -> bool:
    """Whether a weak name of a country or an island begins a sentence about a country or an island."""
    if all(place.level in ("city", "district", "region") for place in one.options):
        return False
    return text.opens_sentence(one.start) and not place_words().geography.isdisjoint(text.words_after(one.end))
