"""Closed lists: what a defining sentence says of its subject in full, such as all its genres.

What a person does is no such list: texts that call somebody a film director are silent on the films that he wrote.
"""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.facts import list_values
from constraintsuite.suites.reading.records import ClassReading, Fact


def read_closed_list(text: str, classes: Sequence[ClassReading], relation: str, knowledge: Knowledge) -> list[Fact]:
    """The values of a relation that the defining sentence of a text lists, in order; none if there is no such sentence."""
    defining = [reading for reading in classes if reading.strength == 3]
    definition = knowledge.relations[relation]
    found = list_values(text, defining[0], definition) if defining and defining[0].kind in definition.kinds else []
    return sorted(found, key=lambda fact: fact.start)
