"""The parts of a suite that are looked at: the main slices together, then each slice that has examples."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.records.examples import CONTROL_SLICES, MAIN_SLICES, Example
from constraintsuite.suites.audit.results import ALL_MAIN

_ORDER = {name: place for place, name in enumerate((*MAIN_SLICES, *CONTROL_SLICES))}


def split_by_slice(examples: Sequence[Example]) -> dict[str, list[int]]:
    """Places of the examples of each part, those that a build makes first; empty parts are left out."""
    parts = {ALL_MAIN: [place for place, example in enumerate(examples) if example.control is None]}
    for name in sorted({example.slice for example in examples}, key=lambda name: (_ORDER.get(name, len(_ORDER)), name)):
        parts[name] = [place for place, example in enumerate(examples) if example.slice == name]
    return {name: places for name, places in parts.items() if places}
