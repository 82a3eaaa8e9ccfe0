"""What a model says of itself, in two parts: what its scores rest on, and where it ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from constraintsuite.models.base import PLACE_FACTS, ModelFact


class SplitFacts(NamedTuple):
    """Facts that are content, and facts that belong beside it."""

    own: dict[str, ModelFact]
    place: dict[str, ModelFact]


def split_facts(facts: Mapping[str, ModelFact]) -> SplitFacts:
    """Facts of the place, also of a part of a system, are taken out: the same run elsewhere must be the same bytes."""
    own: dict[str, ModelFact] = {}
    place: dict[str, ModelFact] = {}
    for key, value in facts.items():
        if key in PLACE_FACTS:
            place[key] = value
        elif isinstance(value, Mapping):
            inner = split_facts(value)
            own[key] = inner.own
            if inner.place:
                place[key] = inner.place
        else:
            own[key] = value
    return SplitFacts(own, place)
