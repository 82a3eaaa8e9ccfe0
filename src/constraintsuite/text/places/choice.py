"""Which of the places of one name is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.gazetteer import KnownPlace, place_names
from constraintsuite.text.places.links import containers, weight
from constraintsuite.text.places.place import Place
from constraintsuite.text.places.words import place_words

_DOMINANT = 4
_SMALL = 60
_SAME_COUNTRY, _SAME_REGION, _SAME_ADJECTIVE = 10, 10, 3
_PREFERENCE = ("continent", "country", "island", "city", "region", "district", "natural")


def choose(text: PlainText, taken: Iterable[Candidate]) -> tuple[Place, ...]:
    """The places of the candidates, without those that may be several places."""
    taken = list(taken)
    votes = _votes(taken)
    adjectives = {
        place_names().adjectives[word.text] for word in text.capitals if word.text in place_names().adjectives
    }
    chosen: dict[int, KnownPlace | None] = {}
    for one in taken:
        chosen[id(one)] = _pick(text, one, votes, adjectives) if one.options else _unknown(text, one, chosen)
    for one in reversed(taken):
        if not one.options:
            chosen[id(one)] = _unknown(text, one, chosen)
    return tuple(
        Place(
            one.start, one.end, place.name, _level(one, place), place.country,
            place_names().regions.get((place.country, place.region), "") if place.level != "country" else "",
            one.hint or one.relation, one.of, one.negated,
            tuple(_name(text, outer, chosen) for outer in containers(one)),
        )
        for one in taken
        if (place := chosen[id(one)]) is not None
    )  # fmt: skip


def _level(one: Candidate, place: KnownPlace) -> str:
    """The level of a place, where the text may know better: Richmond, a suburb of Melbourne."""
    return "district" if (place.level, one.level) == ("city", "district") else place.level


def _name(text: PlainText, one: Candidate, chosen: dict[int, KnownPlace | None]) -> str:
    place = chosen.get(id(one))
    return place.name if place else text.text[one.start : one.end]


def _votes(taken: list[Candidate]) -> Counter[tuple[str, str]]:
    """How often each country, and each region, is certainly meant in the text."""
    votes: Counter[tuple[str, str]] = Counter()
    for one in taken:
        if one.options and len({place.country for place in one.options}) == 1 and one.options[0].country:
            votes[one.options[0].country, ""] += 1
            if len({place.region for place in one.options}) == 1 and one.options[0].region:
                votes[one.options[0].country, one.options[0].region] += 1
        if one.adjective:
            votes[place_names().adjectives[one.adjective], ""] += 1
    return votes


def _pick(text: PlainText, one: Candidate, votes: Counter[tuple[str, str]], adjectives: set[str]) -> KnownPlace | None:
    written = text.text[one.start : one.end]
    options = [place for place in one.options if place.name == written] if not written.isascii() else list(one.options)
    options = options or list(one.options)
    even = text.plain[one.start : one.end] in place_words().no_default
    scores: dict[tuple[str, str], float] = {}
    best: dict[tuple[str, str], KnownPlace] = {}
    for place in options:
        score = float(1_000 if even else weight(place))
        if votes[place.country, ""] and len({other.country for other in options}) > 1:
            score *= _SAME_COUNTRY
        if place.region and votes[place.country, place.region]:
            score *= _SAME_REGION
        if place.country in adjectives:
            score *= _SAME_ADJECTIVE
        key = (place.name, place.country)
        if score > scores.get(key, -1) or (score == scores[key] and _rank(place) < _rank(best[key])):
            scores[key], best[key] = score, place
    order = sorted(scores, key=lambda key: (-scores[key], key))
    if len(order) > 1 and scores[order[0]] < _DOMINANT * scores[order[1]] and order[0][1] != order[1][1]:
        return None
    found = best[order[0]]
    if _is_small(found) and one.outer is None and not votes[found.country, ""] and votes:
        return None
    rivals = [place for place in options if (place.name, place.country) == order[0] and place.region != found.region]
    if any(_DOMINANT * weight(place) > weight(found) and not votes[found.country, found.region] for place in rivals):
        return replace(found, region="")
    return found


def _is_small(place: KnownPlace) -> bool:
    return place.level == "city" and place.thousands < _SMALL


def _rank(place: KnownPlace) -> int:
    return _PREFERENCE.index(place.level)


def _unknown(text: PlainText, one: Candidate, chosen: dict[int, KnownPlace | None]) -> KnownPlace:
    country = next(
        (place.country for outer in containers(one) if (place := chosen.get(id(outer))) is not None and place.country),
        "",
    )
    level = (
        "city"
        if one.level == "natural" and not one.is_sure and not one.is_defined and one.outer is not None
        else one.level
    )
    return KnownPlace(text.text[one.start : one.end], level or "city", country)
