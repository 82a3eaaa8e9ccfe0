"""The satisfying document denies or omits Y everywhere in its text, and the violating one affirms it everywhere."""

from __future__ import annotations

from constraintsuite.records.examples import OMISSION
from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_document


def check(pair: CheckedPair) -> str | None:
    """Reject a pair whose texts do not say what the slice claims."""
    expected = "omits" if pair.draft.slice == OMISSION else "negates"
    satisfying, violating = judge_document(pair.satisfying.mentions), judge_document(pair.violating.mentions)
    if satisfying != expected:
        return f"satisfying_{satisfying}_y"
    if violating != "affirms":
        return f"violating_{violating}_y"
    shown = f"{pair.satisfying.title}\n{pair.satisfying.text}"
    if find_forms(shown, pair.proposal.constraint.kinds):
        return "satisfying_shows_y_otherwise"
    if find_forms(pair.satisfying.title, pair.proposal.constraint.forms):
        return "y_in_title_of_satisfying"
    return None
