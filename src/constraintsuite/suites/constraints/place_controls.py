"""Controls of the constraint type `place`: other names of a place, its adjective, the larger place named in the text, other places."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from itertools import chain

from constraintsuite.core.records.examples import VIOLATING, Example
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.constraints.place import Located, ask_for_side, place_measures, with_article
from constraintsuite.suites.controls.own import ControlWords, OwnControls, restate, rewriters
from constraintsuite.suites.controls.rewrites import RewrittenExample, rewrite_evidence
from constraintsuite.suites.queries.records import Wording
from constraintsuite.text.places.containment import contains
from constraintsuite.text.places.gazetteer import KnownPlace, place_names, without_marks
from constraintsuite.text.places.place import Place
from constraintsuite.text.places.reader import read_places

_STATES = frozenset(("US", "IN", "AU", "BR", "MX", "NG", "DE"))
"""Countries whose regions people call states."""
_CITIES = frozenset(("New York", "Washington", "Berlin", "Hamburg", "Bremen"))


class PlaceControlWords(ControlWords):
    """The words of these controls."""

    demonyms: Mapping[str, str]
    """Adjectives that the gazetteer does not have."""
    topics: tuple[tuple[str, ...], ...]
    """Topics of which an adjective of place says where they are."""


@cache
def _words() -> PlaceControlWords:
    return read_package_yaml(PlaceControlWords, "constraintsuite.suites.constraints", "place_controls.yaml")


def fill_place(example: Example) -> dict[str, str]:
    """The slots of the place that a query names."""
    constraint, topic = example.constraint, example.topic or ""
    assert isinstance(constraint, Located)
    slots = {"p": with_article(constraint.value)}
    if constraint.level == "region" and constraint.value not in _CITIES:
        slots |= {"state": constraint.value} if constraint.country in _STATES else {}
        slots |= {"province": constraint.value} if constraint.country == "CA" else {}
    demonym = _demonym(constraint)
    if demonym and constraint.relation == "located" and topic in chain(*_words().topics):
        slots |= {"topic": topic, "demonym": demonym}
    return slots


def _demonym(constraint: Located) -> str:
    own = _words().demonyms.get(constraint.value, "")
    if own or constraint.level != "country":
        return own
    words = [word for word, code in place_names().adjectives.items() if code == constraint.country]
    is_whole_country = any(one.country == constraint.country and _is_country(one) for one in known(constraint.value))
    return words[0] if words and is_whole_country else ""


def known(name: str) -> tuple[KnownPlace, ...]:
    """The entries of the gazetteer for a name."""
    return place_names().places.get(without_marks(name), ())


def fill_other_place(example: Example) -> dict[str, str]:
    """A place that the violating text says it is in, which the control lets belong to something else."""
    for one in example.constraint.evidence if example.constraint else ():
        if one.document == VIOLATING and any(
            entry.level in ("country", "region", "city") for entry in known(one.value)
        ):
            return {"other": with_article(one.value)}
    return {}


def _wordings(example: Example) -> tuple[Wording, ...]:
    constraint = example.constraint
    assert isinstance(constraint, Located)
    return ask_for_side(
        place_measures()[constraint.relation], example.topic or "", constraint.value, constraint.location
    )


def rewrite_containment(example: Example, rng: random.Random) -> RewrittenExample | None:
    """The larger place beside a town or region that a text is in: "in Leith" becomes "in Leith, Scotland"."""
    constraint = example.constraint
    assert isinstance(constraint, Located)
    asked = constraint.place
    return rewrite_evidence(
        example, "containment: texts with the larger place", lambda text, span, _: _with_larger(text, span, asked)
    )


_GOES_ON = re.compile(r"(?P<mark>[.;:!?)]|$)|,(?! [A-Z])|(?P<word> [a-z])")


def _with_larger(text: str, span: Span, asked: Place) -> str | None:
    """A name of a place with the place that is asked for, or else its country, behind it; None if that does not fit."""
    follows = _GOES_ON.match(text, span.end)
    if follows is None or not text[: span.start].endswith(" in "):
        return None
    place = next((one for one in read_places(text) if Span(one.start, one.end) == span), None)
    if place is None or place.level == "country":
        return None
    larger = asked.name if contains(asked, place) else _country_of(place)
    if not larger or larger == place.name or larger in text:
        return None
    return f"{span.of(text)}, {with_article(larger)}" + ("," if follows["word"] else "")


def _country_of(place: Place) -> str:
    """The country of a place; of a place in the United Kingdom, the part that it is in."""
    if place.country == "GB":
        return place.region if place.region in _words().demonyms else ""
    return _countries().get(place.country, "")


@cache
def _countries() -> dict[str, str]:
    """The name of each country by its code; those of today stand first in the gazetteer."""
    found: dict[str, str] = {}
    for one in chain.from_iterable(place_names().places.values()):
        if _is_country(one):
            found.setdefault(one.country, one.name)
    return found


def _is_country(place: KnownPlace) -> bool:
    return place.level == "country" and bool(place.country) and not place.region


_WORDS = _words()
CONTROLS = OwnControls(
    rewriters={**rewriters(_WORDS, fill_place), "restated": restate(_wordings), "containment": rewrite_containment},
    distraction="other_place",
    distractions=_WORDS.distractions,
    distract=fill_other_place,
)
