"""What the text itself says lies inside what: "Skokie, Illinois", "the East End of London", "Leith, a district of Edinburgh"."""

from __future__ import annotations

import re
from itertools import pairwise

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.gazetteer import KnownPlace, holds
from constraintsuite.text.places.words import place_words

_DIRECTION = r"(?:the )?(?:(?:north|south|east|west)\w* |central |ancient )?"
_KINDS = r"(?:state|province|county|region|department|district)"
_COMMA = re.compile(
    rf", (?:the )?| \(|(?:,| (?:is|was|lies|stands))?(?: (?:located|situated))? in {_DIRECTION}(?:{_KINDS} of (?:the )?)?| of {_DIRECTION}"
    rf"| (?:is|was) (?:a|an|the) (?:[\w-]+ ){{0,2}}(?:capital|city|town|village|port) (?:of|in) {_DIRECTION}"
)
_APPOSITION = re.compile(
    r", (?:a|an|the) (?:[\w-]+ ){0,3}(?P<noun>\w+)(?: in| of| near)? (?:the )?(?:(?:\w+ ){0,2}of )?(?:the )?|, the "
)
_LONGEST_GAP = 70
_DEEPEST = 6
_OUTER = frozenset(("country", "region", "continent", "island"))


def link(text: PlainText, candidates: list[Candidate]) -> None:
    """Note for each candidate the next one if that contains it, and narrow both down to what fits."""
    for one, other in reversed(list(pairwise(candidates))):
        if one.fits and other.fits and other.start - one.end <= _LONGEST_GAP:
            _link_pair(text, one, other)


def _link_pair(text: PlainText, one: Candidate, other: Candidate) -> None:
    gap = text.plain[one.end : other.start]
    comma = _COMMA.fullmatch(gap) is not None or _is_apposition(gap, text, other)
    if not comma and gap != " ":
        return
    if not one.options:
        is_said = comma and not gap.startswith(" of ")  # the Legislative Assembly of Quebec
        if (is_said and _is_outer(other)) or _is_apposition(gap, text, other):
            _join(one, other)
            regions = tuple(place for place in other.options if place.level == "region")
            other.options = regions or other.options  # College Park, Georgia
        return
    pairs = [(inner, outer) for outer in other.options for inner in one.options if _may_hold(outer, inner)]
    if pairs:
        one.options = tuple(dict.fromkeys(inner for inner, _ in pairs))
        other.options = tuple(dict.fromkeys(outer for _, outer in pairs))
        _join(one, other)
        other.is_code = False
    elif comma and _is_another(gap, text, one, other):
        one.options = ()
        _join(one, other)


def _may_hold(outer: KnownPlace, inner: KnownPlace) -> bool:
    """Whether a place contains another, or may, as a city does a district of its region: the East End of London."""
    if inner.level == "district" and outer.level == "city":
        return (inner.country, inner.region) == (outer.country, outer.region)
    return holds(outer, inner) is True


def _is_another(gap: str, text: PlainText, one: Candidate, other: Candidate) -> bool:
    """Whether the text says that a name is a place in a country where the gazetteer has none: the Blue Mountains of Jamaica."""
    if any(place.level not in ("city", "district", "natural", "island") for place in one.options) or not _is_outer(
        other
    ):
        return False
    if any(holds(outer, inner) is None for outer in other.options for inner in one.options):
        return False
    if gap.startswith(",") and (
        text.words_before(one.start)[-1:] not in (["in"], ["near"], ["at"]) or _goes_on(text, other)
    ):
        return False
    one.level = one.level or one.options[0].level
    return gap != " ("


def _goes_on(text: PlainText, one: Candidate) -> bool:
    """Whether a list goes on after a name: in Paris, Germany and Spain."""
    return text.words_after(one.end)[:1] in (["and"], ["or"])


def _join(one: Candidate, other: Candidate) -> None:
    one.outer = other
    other.inner.append(one)


def _is_outer(other: Candidate) -> bool:
    return any(place.level in _OUTER for place in other.options) or other.outer is not None


def _is_apposition(gap: str, text: PlainText, other: Candidate) -> bool:
    """Whether the words between two names say that the first is a part of the second."""
    match = _APPOSITION.fullmatch(gap)
    if match is None:
        return False
    if gap == ", the ":
        return text.words_after(other.end)[:1] == ["capital"]
    return match["noun"].lower() in place_words().appositions or any(
        word in place_words().appositions for word in gap.split()
    )


def containers(one: Candidate) -> list[Candidate]:
    """The places that the text says contain a candidate, the nearest first."""
    found: list[Candidate] = []
    while one.outer is not None and len(found) < _DEEPEST:
        one = one.outer
        found.append(one)
    return found


def weight(place: KnownPlace) -> int:
    """How likely a place is meant where only its name is given."""
    if place.level in ("country", "continent"):
        return 100_000
    return {"region": 4_000, "natural": 3_000, "island": 4_000, "district": max(500, place.thousands)}.get(
        place.level, place.thousands or 500
    )
