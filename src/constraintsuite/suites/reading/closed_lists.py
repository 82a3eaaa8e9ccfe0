"""Closed lists: what a defining sentence says of its subject in full, such as all its genres or all its occupations.

"X was an American film director." does not call X a screenwriter, and a reader concludes that X was none.
"""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.facts import list_values
from constraintsuite.suites.reading.records import ClassReading, Fact

OCCUPATION = "occupation"
"""The list of the class nouns of a person."""
_PERSON = "person"
_NEAR = 80
"""Characters between the first occupation and the others of the same list."""


def read_closed_list(text: str, classes: Sequence[ClassReading], relation: str, knowledge: Knowledge) -> list[Fact]:
    """The values of a relation that the defining sentence of a text lists, in order; none if there is no such sentence."""
    defining = [reading for reading in classes if reading.strength == 3]
    if relation == OCCUPATION:
        people = [one for one in defining if one.kind == _PERSON and one.start < defining[0].end + _NEAR]
        return [Fact(OCCUPATION, one.head, one.start, one.end) for one in people]
    definition = knowledge.relations[relation]
    found = list_values(text, defining[0], definition) if defining and defining[0].kind in definition.kinds else []
    return sorted(found, key=lambda fact: fact.start)
