"""Which examples belong together: intervals resample them, and cross-validation holds them out, as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from constraintsuite.metrics.intervals import connected_components
from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import IntArray
from constraintsuite.suites.audit.results import GroupKind

GIANT = 0.5
"""A component with more than this share of all leaves too little to hold out or to resample."""


class ExampleGroups(NamedTuple):
    """A group number for each example, and what the groups are."""

    kind: GroupKind
    groups: IntArray  # (examples,)


def group_examples(examples: Sequence[Example]) -> ExampleGroups:
    """Components of examples that share a cluster; where one is a giant, of those of one couple or document pair."""
    components = connected_components([(*_clusters(example), *_pair(example)) for example in examples])
    if len(examples) and np.bincount(components).max() <= GIANT * len(examples):
        return ExampleGroups("clusters", components)
    return ExampleGroups("couples", connected_components([tuple(_pair(example)) for example in examples]))


def _clusters(example: Example) -> Iterator[str]:
    documents = (example.satisfying.source, example.violating.source)
    for name in example.clusters or documents:
        yield f"cluster {name}"


def _pair(example: Example) -> Iterator[str]:
    first, second = sorted((example.satisfying.source, example.violating.source))
    yield f"pair {first} {second}"
    if example.couple:
        yield f"couple {example.couple}"
