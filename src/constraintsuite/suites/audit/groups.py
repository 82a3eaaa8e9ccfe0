"""How the examples of a suite are divided for the audit: into slices, and into groups that must not be torn apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.core.records.examples import CONTROL_SLICES, MAIN_SLICES, Example
from constraintsuite.core.statistics.intervals import cluster_items
from constraintsuite.suites.audit.results import ALL_MAIN, GroupKind
from constraintsuite.suites.audit.solvers import IntArray

_ORDER = {name: place for place, name in enumerate((*MAIN_SLICES, *CONTROL_SLICES))}


def split_by_slice(examples: Sequence[Example]) -> dict[str, list[int]]:
    """Places of the examples of each part, those that a build makes first; empty parts are left out."""
    parts = {ALL_MAIN: [place for place, example in enumerate(examples) if example.control is None]}
    for name in sorted({example.slice for example in examples}, key=lambda name: (_ORDER.get(name, len(_ORDER)), name)):
        parts[name] = [place for place, example in enumerate(examples) if example.slice == name]
    return {name: places for name, places in parts.items() if places}


class ExampleGroups(NamedTuple):
    """A group number for each example, and what the groups are."""

    kind: GroupKind
    groups: IntArray  # (examples,)


def group_examples(examples: Sequence[Example]) -> ExampleGroups:
    """Examples that share a cluster of documents; where these join most of them, those of one couple or document pair."""
    found = cluster_items(
        [wide_links(example) for example in examples], [narrow_links(example) for example in examples]
    )
    return ExampleGroups("clusters" if found.wide else "couples", found.numbers)


def wide_links(example: Example) -> tuple[str, ...]:
    """Names of all that an example may share with others: near-duplicate clusters of its documents, and its couple."""
    documents = (example.satisfying.source, example.violating.source)
    return (*(f"cluster {name}" for name in example.clusters or documents), *narrow_links(example))


def narrow_links(example: Example) -> tuple[str, ...]:
    """Its two documents together, and its couple."""
    first, second = sorted((example.satisfying.source, example.violating.source))
    return (f"pair {first} {second}", *([f"couple {example.couple}"] if example.couple else []))
