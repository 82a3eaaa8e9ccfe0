"""What lies inside what, by the shipped gazetteer and by what the texts of a corpus say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from constraintsuite.text.places.gazetteer import KnownPlace, holds, place_names, without_marks
from constraintsuite.text.places.place import Place

_DEEPEST = 6


def contains(outer: Place, inner: Place) -> bool | None:
    """Whether a place is or contains another, by the gazetteer and by what the text of `inner` says; None if that is unknown.

    False means that they are certainly apart, or that `inner` is the larger one.
    """
    return StatedContainment(()).contains(outer, inner)


class StatedContainment:
    """The places that the texts of a corpus say contain others: Edinburgh contains Leith, after "Leith, a district of Edinburgh"."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._outer: dict[tuple[str, str], set[str]] = defaultdict(set)
        for place in places:
            _note(self._outer, place)

    def contains(self, outer: Place, inner: Place) -> bool | None:
        """Whether a place is or contains another; None if neither the gazetteer nor a text of the corpus says so."""
        if (outer.name, outer.country) == (inner.name, inner.country):
            return True
        found = _by_gazetteer(outer, _known(inner))
        if found is not None:
            return found
        if outer.country and inner.country and outer.country != inner.country and outer.level != "continent":
            return False
        return True if self._is_said(outer, inner) else None

    def _is_said(self, outer: Place, inner: Place) -> bool:
        """Whether a text says so, in several steps if needed."""
        names = {*inner.inside, *self._outer.get((inner.name, inner.country), ())}
        seen: set[str] = set()
        for _ in range(_DEEPEST):
            if outer.name in names or any(_by_gazetteer(outer, _in_country(name, inner.country)) for name in names):
                return True
            seen |= names
            names = {further for name in names for further in self._outer.get((name, inner.country), ())} - seen
        return False


def _note(table: dict[tuple[str, str], set[str]], place: Place) -> None:
    chain = (place.name, *place.inside)
    for name, *rest in (chain[at:] for at in range(len(chain) - 1)):
        table[name, place.country].update(rest)


def _by_gazetteer(outer: Place, inner: KnownPlace | None) -> bool | None:
    known = _known(outer)
    return holds(known, inner) if known is not None and inner is not None else None


def _known(place: Place) -> KnownPlace | None:
    """The entry of the gazetteer for a place that was read."""
    regions = place_names().regions
    entries = [
        one
        for one in place_names().places.get(without_marks(place.name), ())
        if one.country == place.country and (place.level in (one.level, "district"))
    ]
    exact = [
        one for one in entries if regions.get((one.country, one.region), "") == place.region or one.level == "country"
    ]
    if exact:
        return exact[0]
    return KnownPlace(place.name, place.level, place.country) if place.country and not entries else None


def _in_country(name: str, country: str) -> KnownPlace | None:
    """The entry for a name in a country, if there is only one."""
    entries = [one for one in place_names().places.get(without_marks(name), ()) if country in ("", one.country)]
    return entries[0] if len(entries) == 1 else None
