"""Controls of the constraint type `one_of`: the values in another order, `either` and `neither` in other words, another value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from constraintsuite.core.records.examples import VIOLATING, Example
from constraintsuite.suites.constraints.one_of import OneOf, ask_for_side, value_slots
from constraintsuite.suites.controls.own import OwnControls, read_words, restate, rewriters
from constraintsuite.suites.domain import Relation, load_knowledge
from constraintsuite.suites.queries.records import Wording
from constraintsuite.suites.queries.topics import plural_of_value


def fill_values(example: Example) -> dict[str, str]:
    """The slots of the values that a query names."""
    constraint = example.constraint
    assert isinstance(constraint, OneOf)
    people = "person" in _relation(constraint).kinds
    slots = value_slots(_relation(constraint), constraint.values)
    return {**slots, "topic": example.topic or "", "who": "who" if people else "that"}


def fill_other_value(example: Example) -> dict[str, str]:
    """The value of the violating text, which the control lets belong to something else."""
    constraint = example.constraint
    assert isinstance(constraint, OneOf)
    found = [one.value for one in constraint.evidence if one.document == VIOLATING]
    if not found:
        return {}
    if constraint.relation == "genre":
        genre = plural_of_value(_relation(constraint), found[0])
        return {"genre_of_talk": genre} | ({"genre": genre} if constraint.listing == "listed" else {})
    return {"language" if constraint.relation == "film_language" else "nationality": found[0]}


def _wordings(example: Example) -> tuple[Wording, ...]:
    constraint = example.constraint
    assert isinstance(constraint, OneOf)
    return ask_for_side(_relation(constraint), example.topic or "", constraint.values, constraint.listing)


def _relation(constraint: OneOf) -> Relation:
    return _relations()[constraint.relation]


@cache
def _relations() -> Mapping[str, Relation]:
    return load_knowledge().relations


_WORDS = read_words("one_of_controls.yaml")
CONTROLS = OwnControls(
    rewriters={**rewriters(_WORDS, fill_values), "restated": restate(_wordings)},
    distraction="other_value",
    distractions=_WORDS.distractions,
    distract=fill_other_value,
)
