"""Main examples of the types with values: short texts, evidence at the words that state each value."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import Example
from constraintsuite.suites.constraints import number, time
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.sides.measures import LimitedMeasure, Position
from suites.controls.controls_factory import main_example

Stated = tuple[str, str]
"""The words of a text that decide, and the value that is read there."""


def _example(
    constraint: Constraint,
    index: int,
    queries: tuple[str, str],
    topic: str,
    texts: tuple[str, str],
    stated: tuple[Stated, Stated],
) -> Example:
    evidence = tuple(
        Evidence(role, text.index(words), text.index(words) + len(words), value, "test")
        for role, text, (words, value) in zip(("satisfying", "violating"), texts, stated, strict=True)
    )
    example = main_example(
        index, topic=topic, query=queries[0], opposite=queries[1], satisfying=texts[0], violating=texts[1]
    )
    return replace(
        example, id=f"{constraint.type}_explicit_sample_{index:06d}", constraint=replace(constraint, evidence=evidence)
    )


def limited(
    key: str = "walking_time",
    limit: float = 90,
    *,
    query: str = "walks that take less than 90 minutes",
    opposite: str = "walks that take more than 90 minutes",
    topic: str = "walks",
    position: Position = "below",
    texts: tuple[str, str] = ("Fell Round is a walk. It takes 80 minutes.", "Old Road is a walk. It takes two hours."),
    stated: tuple[Stated, Stated] = (("80 minutes", "80 minute"), ("two hours", "120 minute")),
    index: int = 0,
) -> Example:
    """An example with a limit of a quantity."""
    measure = measure_of(key)
    assert isinstance(measure, number.QuantityMeasure)
    constraint = Number(
        value=measure.write(limit),
        cue="less than",
        forms=(),
        measure=key,
        position=position,
        limit=limit,
        unit=measure.unit,
    )
    return _example(constraint, index, (query, opposite), topic, texts, stated)


def measure_of(key: str) -> LimitedMeasure:
    """A measure of quantities by its key."""
    return next(one for one in number.BUILDER.measures() if one.key == key)


def dated(
    limit: int = 1960,
    *,
    key: str = "released",
    query: str = "films released before 1960",
    opposite: str = "films released after 1960",
    topic: str = "films",
    position: Position = "below",
    texts: tuple[str, str] = (
        "Dusk is a drama film. It was released on 12 March 1954.",
        "Dawn is a drama film. It was released on May 3, 1971.",
    ),
    stated: tuple[Stated, Stated] = (("12 March 1954", "1954"), ("May 3, 1971", "1971")),
    index: int = 0,
) -> Example:
    """An example with a limit in time."""
    assert any(one.key == key for one in time.BUILDER.measures())
    constraint = Time(value=str(limit), cue="before", forms=(), measure=key, position=position, limit=limit)
    return _example(constraint, index, (query, opposite), topic, texts, stated)


def located(
    place: str = "Scotland",
    *,
    level: str = "country",
    country: str = "GB",
    relation: str = "located",
    query: str = "museums in Scotland",
    opposite: str = "museums outside Scotland",
    topic: str = "museums",
    texts: tuple[str, str] = (
        "The Creel is a museum in Edinburgh with nine rooms.",
        "The Net is a museum in Bergen. It has ten rooms.",
    ),
    stated: tuple[Stated, Stated] = (("Edinburgh", "Edinburgh"), ("Bergen", "Bergen")),
    index: int = 0,
) -> Example:
    """An example that asks for things in a place."""
    constraint = Located(
        value=place, cue="in", forms=(place,), relation=relation, level=level, country=country, location="inside"
    )
    return _example(constraint, index, (query, opposite), topic, texts, stated)


def one_of(
    values: tuple[str, str] = ("French", "Italian"),
    *,
    relation: str = "work_nationality",
    query: str = "French or Italian films",
    opposite: str = "films that are neither French nor Italian",
    topic: str = "films",
    texts: tuple[str, str] = ("Dusk is an Italian film.", "Dawn is a Danish film."),
    stated: tuple[Stated, Stated] = (("Italian", "Italian"), ("Danish", "Danish")),
    index: int = 0,
) -> Example:
    """An example that asks for one of two values."""
    constraint = OneOf(
        value=" or ".join(values), cue="or", forms=values, relation=relation, values=values, listing="listed"
    )
    return _example(constraint, index, (query, opposite), topic, texts, stated)
