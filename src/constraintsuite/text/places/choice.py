"""Which of the places of one name is meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

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
    votes = _votes(text, taken)
    chosen: dict[int, KnownPlace | None] = {}
    for one in taken:
        chosen[id(one)] = _pick(text, one, votes) if one.options else _unknown(text, one, chosen)
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


@dataclass(frozen=True, slots=True)
class _Votes:
    """What the text says of countries: the names that are certainly in each, and in each region, and the adjectives."""

    names: dict[tuple[str, str], set[str]]
    adjectives: set[str]

    def has(self, name: str, country: str, region: str = "") -> bool:
        """Whether another name is certainly in a country, or in a region of it."""
        return bool(self.names.get((country, region), set()) - {name})

    def countries(self, name: str) -> set[str]:
        """The countries that other names and the adjectives speak for."""
        return self.adjectives | {country for country, region in self.names if not region and self.has(name, country)}

    def speaks_of_region(self, name: str, country: str) -> bool:
        """Whether another name is certainly in a region of a country."""
        return any(region and code == country and self.has(name, code, region) for code, region in self.names)


def _votes(text: PlainText, taken: list[Candidate]) -> _Votes:
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    of_adjective = place_names().adjectives
    for one in taken:
        name = text.plain[one.start : one.end]
        country = _only({place.country for place in one.options})
        region = _only({place.region for place in one.options})
        if country:
            names[country, ""].add(name)
            if region:
                names[country, region].add(name)
        if one.adjective:
            names[of_adjective[one.adjective], ""].add(one.adjective)
    return _Votes(names, {of_adjective[word.text] for word in text.capitals if word.text in of_adjective})


def _only(values: set[str]) -> str:
    return next(iter(values)) if len(values) == 1 else ""


def _pick(text: PlainText, one: Candidate, votes: _Votes) -> KnownPlace | None:
    """The place that is meant, or nothing if the text leaves several, or speaks of another country than a small town's."""
    name = text.plain[one.start : one.end]
    options = _as_written(text.text[one.start : one.end], one.options)
    best: dict[tuple[str, str], tuple[float, KnownPlace]] = {}
    for place in options:
        score = _score(name, place, options, votes)
        key = (place.name, place.country)
        if key not in best or (-score, _rank(place)) < (-best[key][0], _rank(best[key][1])):
            best[key] = score, place
    (first, found), *others = sorted(best.values(), key=lambda pair: (-pair[0], pair[1].name, pair[1].country))
    if others and first < _DOMINANT * others[0][0] and found.country != others[0][1].country:
        return None
    if votes.has(name, found.country, found.region) or one.outer is not None:
        return found
    if _is_small(found) and votes.countries(name) and found.country not in votes.countries(name):
        return None
    rivals = [place for place in options if place.country == found.country and place.region != found.region]
    is_open = _is_small(found) or any(_DOMINANT * weight(place) > weight(found) for place in rivals)
    is_open = is_open or (len(options) > 1 and votes.speaks_of_region(name, found.country))
    return replace(found, region="") if is_open and found.level == "city" else found


def _as_written(written: str, options: tuple[KnownPlace, ...]) -> list[KnownPlace]:
    """The options whose name has the diacritics of the text, if it has some."""
    same = [place for place in options if place.name == written] if not written.isascii() else []
    return same or list(options)


def _score(name: str, place: KnownPlace, options: list[KnownPlace], votes: _Votes) -> float:
    score = float(1_000 if name in place_words().no_default else weight(place))
    if len({other.country for other in options}) > 1 and votes.has(name, place.country):
        score *= _SAME_COUNTRY
    if place.region and votes.has(name, place.country, place.region):
        score *= _SAME_REGION
    return score * _SAME_ADJECTIVE if place.country in votes.adjectives else score


def _is_small(place: KnownPlace) -> bool:
    return place.level == "city" and place.thousands < _SMALL and not place.is_capital


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
    return KnownPlace(text.text[one.start : one.end], level or ("region" if one.inner else "city"), country)
