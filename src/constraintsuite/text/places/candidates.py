"""The names in a text that may be places: those of the gazetteer, and others that stand where a place stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.gazetteer import KnownPlace, PlaceNames, holds, place_names, without_marks
from constraintsuite.text.places.words import levels_of_suffixes, place_words

_LINKS = frozenset(
    (
        "am",
        "upon",
        "on",
        "sur",
        "de",
        "la",
        "del",
        "do",
        "da",
        "dos",
        "das",
        "under",
        "le",
        "les",
        "an",
        "der",
        "bei",
        "ob",
        "im",
    )
)
_PARTICLES = frozenset(
    (
        "de",
        "del",
        "du",
        "da",
        "di",
        "la",
        "le",
        "el",
        "al",
        "von",
        "van",
        "der",
        "zu",
        "dos",
        "das",
        "bin",
        "ibn",
        "&",
        "y",
        "e",
    )
)
_WITH_ADJECTIVE = frozenset(("natural", "island", "region", "continent"))
"""What an adjective of a country can stand before: the Venezuelan Andes."""
_LONGEST = 5
_LONGEST_UNKNOWN = 3
_STATE_CODE = 2


@dataclass(slots=True)
class Candidate:
    """A name that may be a place, and what was found out about it."""

    start: int
    end: int
    options: tuple[KnownPlace, ...] = ()
    """The places of the gazetteer that have this name."""
    level: str = ""
    """The level that the name itself says: River, County."""
    fits: bool = True
    """Whether it is a name of its own, and not a part of a longer one."""
    hint: str = ""
    """The relation that a hyphen says: London-based."""
    contains_known: bool = False
    """Whether a part of it is a name of the gazetteer: Jack London."""
    adjective: str = ""
    """The adjective of a country right before it: the Venezuelan Andes."""
    is_sure: bool = False
    """Whether the name itself says that it is a place: River, County."""
    is_defined: bool = False
    """Whether its sentence defines it: "Alnwick is a market town in ..."."""
    is_code: bool = False
    """Whether it is a code such as TX, which is a place only after a city."""
    strength: int = -1
    """How well the words around it say that it is a place; below 0 if it is none."""
    outer: Candidate | None = None
    """The place that the text says contains it."""
    inner: list[Candidate] = field(default_factory=list)
    negated: bool = False
    relation: str = "other"
    of: str = ""


def find_candidates(text: PlainText) -> list[Candidate]:
    """All candidates in order; none overlaps another."""
    names = place_names()
    found: list[Candidate] = []
    first, count = 0, len(text.capitals)
    while first < count:
        last = first
        while last + 1 < count and text.is_joined(last + 1) and last - first < _LONGEST * 4:
            last += 1
        found += _of_chain(text, names, first, last)
        first = last + 1
        while found and first < count and text.capitals[first].start < found[-1].end:
            first += 1
    return found


def _of_chain(text: PlainText, names: PlaceNames, first: int, last: int) -> list[Candidate]:
    """The candidates in a run of capitals: the known names in it, else the whole."""
    is_opener = text.capitals[first].text in place_words().openers and _opens(text, first)
    opening = first + is_opener
    if opening > last:
        return []
    known = _known_names(text, names, opening, last)
    start = text.capitals[opening].start
    is_one_name = bool(known) and known[0].start == start and known[0].end >= text.capitals[last].end
    named = None if is_one_name else _by_suffix(text, opening, last)
    if named is not None:
        return [named]
    if not known:
        return _unknown(text, opening, last)
    if any(one.fits for one in known) or opening == last:
        return known
    whole = _unknown(text, opening, last)
    for one in whole:
        one.contains_known = True
    return whole or known


def _known_names(text: PlainText, names: PlaceNames, opening: int, last: int) -> list[Candidate]:
    """The names of the gazetteer in a run of capitals, the longest from the left."""
    found = []
    at = opening
    while at <= last:
        candidate = _known(text, names, at)
        if candidate is None:
            at += 1
            continue
        after = at + 1
        while after < len(text.capitals) and text.capitals[after].start < candidate.end:
            after += 1
        candidate.fits = candidate.fits and _stands_alone(text, opening, at, after, last)
        if at > opening and text.capitals[at - 1].text in names.adjectives:
            candidate.adjective = text.capitals[at - 1].text
        found.append(candidate)
        at = after
    return found


def _opens(text: PlainText, number: int) -> bool:
    """Whether a capital is due to the beginning of a sentence or a quotation."""
    return text.opens_sentence(text.capitals[number].start)


def _known(text: PlainText, names: PlaceNames, at: int) -> Candidate | None:
    """The longest name of the gazetteer that begins at a capital."""
    word = text.capitals[at]
    for name in names.longer.get(word.text, ()):
        end = word.start + len(name)
        if text.plain.startswith(name, word.start) and not text.plain[end : end + 1].isalnum():
            return Candidate(word.start, end, names.places[name], fits=_ends_cleanly(text, end))
    if word.text in names.places:
        return Candidate(word.start, word.end, names.places[word.text], fits=_ends_cleanly(text, word.end))
    head, hyphen, rest = word.text.partition("-")
    if hyphen and head in names.places and rest in place_words().hyphenated:
        return Candidate(word.start, word.start + len(head), names.places[head], hint=place_words().hyphenated[rest])
    if len(word.text) == _STATE_CODE and text.gap(at) == ", " and ("US", word.text) in names.regions:
        state = names.regions["US", word.text]
        options = tuple(place for place in names.places[without_marks(state)] if place.region == word.text)
        return Candidate(word.start, word.end, options, is_code=True)
    return None


def _ends_cleanly(text: PlainText, end: int) -> bool:
    after = text.plain[end : end + 2]
    return after[:1] not in ("$", "€", "£", "&", "@", "/") and not (after[:1] in ("-", "–") and after[1:].isalpha())


def _stands_alone(text: PlainText, opening: int, at: int, after: int, last: int) -> bool:
    """Whether the words from `at` up to `after` are a name of their own in their run of capitals."""
    return _left_is_free(text, opening, at, after) and _right_is_free(text, at, after, last)


def _is_direction(word: str) -> bool:
    """Whether a capital word before a name only says which part: Northern Italy; Lower Lorraine is a place of its own."""
    return word.lower() in place_words().directions and word not in ("Upper", "Lower", "Greater", "Inner", "Outer")


def _left_is_free(text: PlainText, opening: int, at: int, after: int) -> bool:
    capitals = text.capitals
    before = opening
    is_natural = all(place.level == "natural" for place in place_names().places.get(capitals[at].text, ()))
    while before < at and (
        (_is_direction(capitals[before].text) and not is_natural) or capitals[before].text in place_names().adjectives
    ):
        before += 1
    if before < at and capitals[at - 1].text not in ("U.S.", "U.K."):
        return _is_held(text, (before, at - 1), (at, after - 1))
    start = capitals[opening].start
    glued = text.plain[max(0, start - 1) : start]
    if glued in ("-", "–", "&", "@", "#", "/", "_") or (glued.isalnum()):
        return False
    if before > opening and capitals[before - 1].text in place_names().adjectives:
        return any(place.level in _WITH_ADJECTIVE for place in place_names().places.get(capitals[at].text, ()))
    previous = text.words_before(start)[-1:]
    return not previous or previous[0] not in _PARTICLES


def _is_held(text: PlainText, inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    """Whether two runs of capitals are a place and another that contains it: Chicago Illinois."""
    places, capitals = place_names().places, text.capitals
    one, other = (text.plain[capitals[first].start : capitals[last].end] for first, last in (inner, outer))
    return any(holds(large, small) for large in places.get(other, ()) for small in places.get(one, ()))


def _right_is_free(text: PlainText, at: int, after: int, last: int) -> bool:
    if after > last:
        return True
    if text.capitals[after - 1].text in ("U.S.", "U.K."):
        return text.capitals[after].text in place_words().openers or text.capitals[after].text in place_names().places
    return _is_held(text, (at, after - 1), (after, last))


def _by_suffix(text: PlainText, first: int, last: int) -> Candidate | None:
    """A name that says what it is: Lake Sorvane, Grays Bay, Alsheyevsky District."""
    words, capitals = place_words(), text.capitals
    size = last - first + 1
    if size < 2:
        return None
    if (
        capitals[first].text in words.prefixes
        and size <= _LONGEST_UNKNOWN
        and capitals[last].text not in words.not_places
    ):
        level = "island" if capitals[first].text == "Isle" else "natural"
        return Candidate(capitals[first].start, capitals[last].end, level=level, is_sure=capitals[first].text != "Cape")
    level = levels_of_suffixes().get(capitals[last].text, "")
    if (
        level
        and size <= _LONGEST_UNKNOWN + 1
        and not any(capitals[one].text in words.not_places for one in range(first, last))
    ):
        return Candidate(
            capitals[first].start, capitals[last].end, level=level, is_sure=capitals[last].text in words.sure_suffixes
        )
    return None


def _unknown(text: PlainText, first: int, last: int) -> list[Candidate]:
    """A run of capitals as a name that the gazetteer does not have, with what small words add to it."""
    words, capitals = place_words(), text.capitals
    end = last
    while end + 1 < len(capitals) and end - first < _LONGEST and _is_linked(text, end + 1):
        end += 1
    if end - first >= _LONGEST or any(capitals[one].text in words.not_places for one in (first, last, end)):
        return []
    if any(capitals[one].text in words.openers for one in range(first, end + 1)):
        return []
    if capitals[first].text in place_names().adjectives or capitals[first].text.isupper():
        return []
    return [Candidate(capitals[first].start, capitals[end].end)]


def _is_linked(text: PlainText, number: int) -> bool:
    """Whether small words such as "am" and "upon" join a capital to the one before it."""
    words = text.gap(number).split(" ")
    return (
        len(words) > 2
        and not words[0]
        and not words[-1]
        and all(word in _LINKS for word in words[1:-1])
        and words[1:-1] != ["on"]
    )
