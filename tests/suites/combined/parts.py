"""Proposals that can be parts of a query, with all that matters in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.queries.records import Proposal, Wording
from suites.build_factory import make_proposal


def constraint_of(kind: str, value: str) -> Constraint:
    """A constraint of this type; what it limits is its value."""
    if kind == "number":
        return Number(value=value, cue="under", forms=(), measure=value, position="below", limit=1.0, unit="kilometre")
    if kind == "time":
        return Time(value=value, cue="before", forms=(), measure=value, position="below", limit=1900.0)
    if kind == "place":
        return Located(
            value=value, cue="in", forms=(value,), relation="located", level="region", country="", location="inside"
        )
    if kind == "one_of":
        return OneOf(value=value, cue="or", forms=(value,), relation="genre", values=(value,), listing="listed")
    return Exclude(value=value, cue="without", forms=(value,))


def part(
    kind: str,
    after: str,
    turned: str,
    clause: str = "",
    turned_clause: str = "",
    *,
    before: str = "",
    topic: str = "cottages",
    obeyed_by: Sequence[str] = (),
    broken_by: Sequence[str] = (),
) -> Proposal:
    """A proposal that says `after` behind its topic and `clause` of it; `before` stands in front of it."""
    asked = [(f"{before} {topic}", f"{topic} {turned}")] if before else []
    asked += [(f"{topic} {after}", f"{topic} {turned}")] if after else []
    asked += [(f"Which {topic} {clause}?", f"Which {topic} {turned_clause}?")] if clause else []
    first, *others = (Wording(query, opposite, f"W{n}", f"W{n}", "cue") for n, (query, opposite) in enumerate(asked))
    value = after or before
    return replace(
        make_proposal(value, topic=topic, relation=f"{kind} {value}", satisfying=obeyed_by, violating=broken_by),
        constraint=constraint_of(kind, value),
        query=first.query,
        opposite=first.opposite,
        other_wordings=tuple(others),
        is_attribute=kind == "exclude",
    )
