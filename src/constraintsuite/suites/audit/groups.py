"""Which examples belong together: intervals resample them, and cross-validation holds them out, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.metrics.intervals import cluster_items
from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import IntArray
from constraintsuite.suites.audit.results import GroupKind


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
