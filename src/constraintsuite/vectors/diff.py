"""What two bundles share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from constraintsuite.vectors.bundle import TRUTH, VECTORS, Bundle

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class OverlapCounts:
    """Counts of one kind of thing in two bundles."""

    only_left: int
    only_right: int
    equal: int
    changed: int
    """Under the same name, but not the same."""


@dataclass(frozen=True)
class BundleDifference:
    """All that can differ."""

    identical: bool
    """The same id: every byte is the same."""
    documents: OverlapCounts
    queries: OverlapCounts
    judgments: OverlapCounts
    vectors: OverlapCounts
    truths: OverlapCounts
    files: tuple[str, ...] = ()
    """Files of the texts that are in one only or are not the same: beside texts, they hold strata and probabilities."""


def diff_bundles(left: Bundle, right: Bundle) -> BundleDifference:
    """Compare two bundles thing by thing; of texts, what is compared are their hashes."""
    documents = [{row.id: row.text_sha256 for row in bundle.rows()} for bundle in (left, right)]
    queries = [{row.id: row.text for row in bundle.queries} for bundle in (left, right)]
    qrels = [{(each.query, each.document): each.grade for each in bundle.qrels()} for bundle in (left, right)]
    vectors, truths = (
        [{part.path.name: part.manifest.content for part in bundle.parts(folder)} for bundle in (left, right)]
        for folder in (VECTORS, TRUTH)
    )
    return BundleDifference(
        left.id == right.id,
        _compare(*documents),
        _compare(*queries),
        _compare(*qrels),
        _compare(*vectors),
        _compare(*truths),
        _files(left, right),
    )


def _files(left: Bundle, right: Bundle) -> tuple[str, ...]:
    one, other = left.texts.manifest.files, right.texts.manifest.files
    return tuple(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))


def _compare(left: Mapping[K, object], right: Mapping[K, object]) -> OverlapCounts:
    shared = left.keys() & right.keys()
    equal = sum(left[name] == right[name] for name in shared)
    return OverlapCounts(len(left) - len(shared), len(right) - len(shared), equal, len(shared) - equal)
