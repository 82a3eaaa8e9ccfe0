"""A classifier that tells edited from untouched texts, for the solver `looks_edited`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import FloatArray, cluster_items
from constraintsuite.suites.audit.logistic import SparseRows, count_grams, held_out_weights

FEWEST_TEXTS = 10
"""With fewer edited or fewer untouched texts, nothing is trained."""
_CONSTANT = " "  # a feature that every text has, for the share of edited texts; no word is a space


def edited_advantage(examples: Sequence[Example]) -> FloatArray:
    """How much more the satisfying text looks edited than the violating one; NaN where a suite has too few of either kind.

    The classifier is trained on the texts of all these examples, each once. Texts of one source document, or of one group of
    near-duplicate clusters if these leave enough to train on, are held out together.
    """
    is_edited = {document.text: bool(document.edit) for example in examples for document in example.documents}
    edited = sum(is_edited.values())
    if min(edited, len(is_edited) - edited) < FEWEST_TEXTS:
        return np.full(len(examples), np.nan)
    scores = _held_out(examples, is_edited)
    return np.array([scores[one.satisfying.text] - scores[one.violating.text] for one in examples], dtype=np.float64)


def _held_out(examples: Sequence[Example], is_edited: Mapping[str, bool]) -> dict[str, float]:
    """For each text, what a classifier says of it that was trained on texts of other groups."""
    sources: dict[str, set[str]] = defaultdict(set)
    clusters: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        for document in example.documents:
            sources[document.text].add(f"source {document.source}")
            clusters[document.text].update(f"cluster {name}" for name in example.clusters)
    narrow = [sorted(sources[text]) for text in is_edited]
    groups = cluster_items([sorted(sources[text] | clusters[text]) for text in is_edited], narrow).numbers
    x = SparseRows.of_counts([{**count_grams(text), _CONSTANT: 1} for text in is_edited]).without_rare_columns()
    signs = np.where(list(is_edited.values()), 1.0, -1.0)
    scores = np.zeros(x.height)
    for rows, weights in held_out_weights(x.scaled(signs), groups, ("looks_edited",)):
        scores[rows] = x.take(rows).times(weights)
    return dict(zip(is_edited, scores.tolist(), strict=True))
