"""A place that a text names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A place, where the text names it, and what the text says about it."""

    start: int
    end: int
    name: str
    """The usual English name: United Kingdom for "the U.K."; as written if the gazetteer does not have it."""
    level: str
    """continent, country, region, city (also a town or village), district, island or natural."""
    country: str = ""
    """ISO 3166 code, or nothing if it is unknown, or if the place is in several countries."""
    region: str = ""
    """The name of its first-level region, where that is known."""
    relation: str = "other"
    """located_in, born_in, died_in, lives_in, works_in, made_in, set_in, held_in, from, travels_to, or other."""
    of: str = ""
    """What has this relation, as far as the words before the place say it: "our new shop" in Leeds."""
    negated: bool = False
    """Whether the text denies the relation: "not born in Cardiff", "outside Miami"."""
    inside: tuple[str, ...] = ()
    """The places that the text itself says contain it, the nearest first: Scotland for "Leith, a district in Scotland"."""
