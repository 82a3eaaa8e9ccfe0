"""The shipped list of countries, regions, cities and landmarks, and what lies inside what according to it.

The files are in `text/data`: `countries.tsv`, `regions.tsv`, `cities.tsv` and `landmarks.tsv`; `NOTICE` there names their source.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from constraintsuite.text.wordlists import read_text

CONTINENTS = {
    "AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania",
    "SA": "South America",
}  # fmt: skip
_ON_TWO_CONTINENTS = frozenset(
    ("RU", "TR", "KZ", "AZ", "GE", "AM", "CY", "EG", "US", "FR", "NL", "GB", "ES", "PT", "NO", "DK")
)
_SPECIAL = {
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "ı": "i",
    "’": "'",
    "‘": "'",
    "ʻ": "'",
    "\u00a0": " ",
}


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A place of the gazetteer."""

    name: str
    level: str
    """continent, country, region, city, district, island or natural."""
    country: str = ""
    """ISO 3166 code, or nothing: the Danube, the Soviet Union."""
    region: str = ""
    """The code of its first-level region, or of itself if it is one."""
    thousands: int = 0
    """Its people, for a city."""
    is_capital: bool = False


class PlaceNames(NamedTuple):
    """The gazetteer by name. Names have no diacritics here."""

    places: dict[str, tuple[KnownPlace, ...]]
    longer: dict[str, tuple[str, ...]]
    """The names of several words by their first word, the longest first."""
    adjectives: dict[str, str]
    """The country of Danish, French, Peruvian."""
    regions: dict[tuple[str, str], str]
    """The name of each first-level region by country and code."""
    continents: dict[str, str]
    """The continent of each country."""


def without_marks(text: str) -> str:
    """The text with plain Latin letters, character by character, so that offsets stay valid."""
    return text if text.isascii() else text.translate(_plain_letters())


@cache
def _plain_letters() -> dict[int, str]:
    table = {ord(mark): plain for mark, plain in _SPECIAL.items()}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        first = unicodedata.normalize("NFKD", chr(code))[0]
        if first.isascii() and first.isalpha():
            table.setdefault(code, first)
    return table


@cache
def place_names() -> PlaceNames:
    """The gazetteer, read once per process."""
    by_name: dict[str, list[KnownPlace]] = defaultdict(list)
    adjectives: dict[str, str] = {}
    continents: dict[str, str] = {}
    regions: dict[tuple[str, str], str] = {}
    for code, continent, level, names, *demonyms in _rows("countries"):
        continents[code] = CONTINENTS[continent]
        adjectives.update({word: code for word in "|".join(demonyms).split("|") if word})
        _add(by_name, names.split("|"), KnownPlace(names.partition("|")[0], level, code))
    for code, region, names in _rows("regions"):
        regions[code, region] = names.partition("|")[0]
        _add(by_name, names.split("|"), KnownPlace(regions[code, region], "region", code, region))
    for city in _cities():
        _add(by_name, [city.name.partition(" (")[0]], replace(city, name=city.name.partition(" (")[0]))
    for level, code, region, names in _rows("landmarks"):
        place = KnownPlace(names.partition("|")[0], level, code.strip("-"), region.strip("-"))
        if level == "country" and region != "-":
            regions[code, region] = place.name
        _add(by_name, names.split("|"), place)
    longer: dict[str, list[str]] = defaultdict(list)
    for name in by_name:
        if " " in name:
            longer[_first_word(name)].append(name)
    return PlaceNames(
        {name: tuple(dict.fromkeys(places)) for name, places in by_name.items()},
        {word: tuple(sorted(names, key=len, reverse=True)) for word, names in longer.items()},
        adjectives, regions, continents,
    )  # fmt: skip


def _rows(name: str) -> Iterator[list[str]]:
    for line in read_text(f"{name}.tsv").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def _cities() -> Iterator[KnownPlace]:
    country = region = ""
    for first, *rest in _rows("cities"):
        if rest:
            yield KnownPlace(first, "city", country, region, int(rest[0]), rest[1:] == ["capital"])
        else:
            _, country, region = first.split(" ")
            region = region.strip("-")


def _add(by_name: dict[str, list[KnownPlace]], names: list[str], place: KnownPlace) -> None:
    """Add a place under its names. One that a list before it has, under any of the names, gets this name instead."""
    keys = [without_marks(name) for name in names]
    if place.thousands == 0:
        same = [one for key in keys for one in by_name.get(key, ()) if _is_same(one, place)]
        if same:
            known = max(same, key=lambda one: one.thousands)
            place = replace(
                place, region=place.region or known.region, thousands=known.thousands, is_capital=known.is_capital
            )
            for key in keys:
                by_name[key] = [one for one in by_name.get(key, ()) if one not in same]
    for key in keys:
        by_name[key].append(place)


def _is_same(one: KnownPlace, other: KnownPlace) -> bool:
    """Whether an entry for one name is replaced by another: GeoNames calls Brooklyn a city."""
    if one.country != other.country or one.level == "country":
        return False
    regions_agree = not other.region or not one.region or one.region == other.region
    return regions_agree and (
        one.level == other.level or (one.level == "city" and other.level in ("district", "island"))
    )


def _first_word(name: str) -> str:
    return name.partition(" ")[0].rstrip(",")


def holds(outer: KnownPlace, inner: KnownPlace) -> bool | None:
    """Whether a place lies inside another by the gazetteer; None if that is unknown. No place holds itself."""
    if outer == inner:
        return False
    if outer.level == "continent":
        return _on_continent(outer, inner)
    if not outer.country or not inner.country:
        return None
    if outer.country != inner.country:
        return False
    if outer.level == "country" and not outer.region:
        return True
    if outer.level in ("country", "region", "island") and outer.region and _is_whole_region(outer):
        return _in_region(outer, inner)
    return None


def _is_whole_region(place: KnownPlace) -> bool:
    return place.level == "country" or place_names().regions.get((place.country, place.region)) == place.name


def _in_region(outer: KnownPlace, inner: KnownPlace) -> bool | None:
    if inner.level == "country" and not inner.region:
        return False
    if not inner.region:
        return None
    return inner.region == outer.region


def _on_continent(outer: KnownPlace, inner: KnownPlace) -> bool | None:
    if outer.name == "Eurasia" or not inner.country:
        return False if inner.level == "continent" else None
    found = place_names().continents.get(inner.country)
    if found == outer.name:
        return True if inner.level == "country" or inner.country not in _ON_TWO_CONTINENTS else None
    return None if inner.country in _ON_TWO_CONTINENTS else False
