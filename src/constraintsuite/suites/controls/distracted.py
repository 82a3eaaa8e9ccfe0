"""Adversarial controls of the types with values: the query names a value that belongs to something else, and that must not decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.records.examples import (
    ADVERSARIAL,
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Control,
    Example,
)
from constraintsuite.suites.controls import OWN_CONTROLS
from constraintsuite.suites.controls.own import OwnControls, is_question, slots_of
from constraintsuite.suites.controls.sampling import by_type, mixed_originals, number
from constraintsuite.text.terms import TermAnalyser

_ANALYSER = TermAnalyser()


def make_distracted(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """At most `count` controls of each type that has its own; each original is used once, and frames in equal parts."""
    made: list[Example] = []
    for kind, some in by_type(examples).items():
        if kind in OWN_CONTROLS.names():
            originals = mixed_originals(some, seed, "controls_distracted")
            own = OWN_CONTROLS.load(kind)
            tally = Counter(dict.fromkeys(own.distractions, 0))
            controls = (_make(one, own, tally, seed) for one in originals)
            made += islice((one for one in controls if one is not None), count)
    return number(made, ADVERSARIAL)


def _make(original: Example, own: OwnControls, tally: Counter[str], seed: int) -> Example | None:
    """The example with a query that names another value; None if it has no such value, or no frame fits."""
    slots = own.distract(original) if original.is_paired and len(original.documents) == 2 else {}
    if not slots or original.constraint is None:
        return None
    query = original.query
    slots = {**slots, "query": query, "question" if is_question(query) else "asked": query}
    rng = keyed_random(seed, "controls_distracted", original.id)
    frames = [frame for frame in own.distractions if _fits(frame, slots, original)]
    if not frames:
        return None
    frame = min(rng.sample(frames, len(frames)), key=lambda frame: tally[frame])
    tally[frame] += 1
    return replace(
        original,
        slice=ADVERSARIAL,
        query=frame.format(**slots),
        restated=original.query,
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE),
        couple="",
        template="DISTRACTION",
        template_family="distraction",
        control=Control(
            own.distraction,
            original.id,
            frame.format(**{**slots, "query": "", "asked": "", "question": ""}).strip(" :;,?"),
        ),
    )


def _fits(frame: str, slots: Mapping[str, str], original: Example) -> bool:
    """Whether the frame can be filled, and adds no word except the value that only one document has."""
    if not slots_of(frame) <= slots.keys():
        return False
    added = set(_ANALYSER.terms(frame.format(**dict.fromkeys(slots, ""))))
    good, bad = (set(_ANALYSER.terms(one.text)) for one in (original.satisfying, original.violating))
    return not added & (good ^ bad)
