"""Two documents of the corpus are two, and an edit changes something."""

from __future__ import annotations

from constraintsuite.records.examples import MINPAIRS
from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words


def check(pair: CheckedPair) -> str | None:
    """Reject equal texts, and near-copies that are not meant as a minimal pair."""
    if pair.satisfying.text == pair.violating.text:
        return "equal_texts"
    alike = jaccard(set(words(pair.satisfying.text)), set(words(pair.violating.text)))
    if pair.draft.slice != MINPAIRS and alike > pair.filters.max_pair_similarity:
        return "too_similar"
    return None
