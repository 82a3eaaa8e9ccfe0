"""Divides the examples of a suite for the audit: into parts, and into groups that are resampled and held out together."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.core.records.examples import CONTROL_SLICES, MAIN_SLICES, Example
from constraintsuite.core.statistics.intervals import IntArray, cluster_items
from constraintsuite.suites.audit.results import ALL_MAIN, GroupKind

EXCLUDE = "exclude"
"""The constraint type whose parts are named by their slice alone."""
_ORDER = {name: place for place, name in enumerate((*MAIN_SLICES, *CONTROL_SLICES))}


def split_by_part(examples: Sequence[Example]) -> dict[str, list[int]]:
    """The positions of the examples of each part, slices of a build first; `all` has the main slices together."""
    parts = {ALL_MAIN: [place for place, example in enumerate(examples) if example.control is None]}
    for name in sorted(set(map(part_of, examples)), key=lambda name: (_ORDER.get(name, len(_ORDER)), name)):
        parts[name] = [place for place, example in enumerate(examples) if part_of(example) == name]
    return {name: places for name, places in parts.items() if places}


def part_of(example: Example) -> str:
    """The part of a suite that is judged by itself: a slice, and before it any constraint type but `exclude`."""
    kind = example.constraint.type if example.constraint is not None and example.control is None else EXCLUDE
    return example.slice if kind == EXCLUDE else f"{kind} {example.slice}"


def group_examples(examples: Sequence[Example]) -> tuple[GroupKind, IntArray]:
    """What the groups are, and the group number of each example.

    A group shares clusters of documents. If these join more than half of all examples, it shares a couple or its two documents.
    """
    found = cluster_items(
        [wide_links(example) for example in examples], [narrow_links(example) for example in examples]
    )
    return "clusters" if found.wide else "couples", found.numbers


def wide_links(example: Example) -> tuple[str, ...]:
    """Names of everything that an example may share with others: near-duplicate clusters of its documents, and its couple."""
    documents = (example.satisfying.source, example.violating.source)
    return (*(f"cluster {name}" for name in example.clusters or documents), *narrow_links(example))


def narrow_links(example: Example) -> tuple[str, ...]:
    """Names of what an example certainly shares with others: its two documents together, and its couple."""
    first, second = sorted((example.satisfying.source, example.violating.source))
    return (f"pair {first} {second}", *([f"couple {example.couple}"] if example.couple else []))
