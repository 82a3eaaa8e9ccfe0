"""The parts of a suite that are looked at: the main slices together, then each slice that has examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from constraintsuite.records.examples import CONTROL_SLICES, Example, Slice
from constraintsuite.suites.audit.results import ALL_MAIN


def split_by_slice(examples: Sequence[Example]) -> dict[str, list[int]]:
    """Places of the examples of each part, in a fixed order; empty parts are left out."""
    parts = {ALL_MAIN: [place for place, example in enumerate(examples) if example.suite not in CONTROL_SLICES]}
    for name in get_args(Slice):
        parts[name] = [place for place, example in enumerate(examples) if example.suite == name]
    return {name: places for name, places in parts.items() if places}
