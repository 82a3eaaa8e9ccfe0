"""Read the places that a text names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from constraintsuite.text.places.candidates import Candidate, find_candidates
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.choice import choose
from constraintsuite.text.places.evidence import BARE, ELSE, LIKELY, NONE, need, weigh
from constraintsuite.text.places.links import link
from constraintsuite.text.places.place import Place
from constraintsuite.text.places.relations import relate
from constraintsuite.text.places.surroundings import is_listed, look_before
from constraintsuite.text.places.words import place_words

_NEARBY = 4


def read_places(text: str) -> tuple[Place, ...]:
    """The places that a text names, in order, with their country and what the text says happens there.

    A name that may as well be a person, an organisation or a title is left out, and so is one of several cities
    of one name if nothing says which is meant. Names that the gazetteer does not have are read where the text calls
    them places: "the village of Brae Tollan", "born in Pellworth", "Mount Orrendale".
    """
    plain = PlainText(text)
    candidates = find_candidates(plain)
    link(plain, candidates)
    taken = _take(plain, candidates)
    taken += _listed_countries(plain, candidates)
    taken += _repeated(plain, candidates, taken)
    taken.sort(key=lambda one: one.start)
    _place_defined(plain, taken)
    relate(plain, taken)
    return choose(plain, taken)


def _take(text: PlainText, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates that are places by the words around them."""
    surnames = frozenset(_surnames(text, candidates))
    taken: list[Candidate] = []
    previous: Candidate | None = None
    for one in candidates:
        one.strength = weigh(text, one, previous)
        needed = need(text, one, surnames)
        if one.outer is not None and _may_be_inside(text, one):
            one.strength = max(one.strength, needed)
        if one.inner and one.strength > ELSE and any(inner.strength >= LIKELY for inner in one.inner):
            one.strength = max(one.strength, needed)
        if one.strength < needed:
            one.strength = min(one.strength, NONE)
        else:
            taken.append(one)
        previous = one
    return taken


def _place_defined(text: PlainText, taken: list[Candidate]) -> None:
    """Note what contains a name that its sentence defines: the next place after "in"."""
    for number, one in enumerate(taken):
        if one.is_defined and one.outer is None:
            end = text.sentence_end(one.start)
            nearby = [other for other in taken[number + 1 : number + 1 + _NEARBY] if other.start < end]
            one.outer = next((other for other in nearby if look_before(text, other.start).preposition == "in"), None)


def _may_be_inside(text: PlainText, one: Candidate) -> bool:
    """Whether a candidate is a place if the text says that another contains it."""
    if one.options:
        return one.strength >= BARE or one.is_code
    return one.strength > ELSE and (bool(one.level) or _is_in(text, one))


def _is_in(text: PlainText, one: Candidate) -> bool:
    before = look_before(text, one.start)
    return before.preposition in place_words().locative or before.preposition in ("at", "from", "to")


def _listed_countries(text: PlainText, candidates: list[Candidate]) -> list[Candidate]:
    """Weak names of countries before a country in one list: Guinea, Liberia and Sierra Leone."""
    found = []
    for one, following in reversed(list(pairwise(candidates))):
        is_pair = one.fits and one.strength < 0 <= following.strength and _is_country(one) and _is_country(following)
        if is_pair and is_listed(text, one, following) and weigh(text, one, None) >= BARE:
            one.strength = LIKELY
            found.append(one)
    return found


def _is_country(one: Candidate) -> bool:
    return any(place.level == "country" for place in one.options)


def _surnames(text: PlainText, candidates: Iterable[Candidate]) -> Iterable[str]:
    """Names that stand behind a first name somewhere in the text: London, after Jack London."""
    for one in candidates:
        if one.contains_known or (not one.fits and one.options):
            yield text.plain[one.start : one.end].rpartition(" ")[2]


def _repeated(text: PlainText, candidates: list[Candidate], taken: list[Candidate]) -> list[Candidate]:
    """Names without an entry in the gazetteer that another sentence calls a place."""
    known = {text.plain[one.start : one.end]: one for one in taken if not one.options}
    found = []
    for one in candidates:
        same = known.get(text.plain[one.start : one.end])
        if same is not None and one.strength == NONE and one.fits and _is_in(text, one):
            one.strength, one.level = LIKELY, one.level or same.level
            found.append(one)
    return found
