"""The satisfier denies or omits Y everywhere in its text, and the violator affirms it everywhere."""

from __future__ import annotations

from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_document


def check(pair: CheckedPair) -> str | None:
    """Reject a pair whose texts do not say what the slice claims."""
    expected = "omits" if pair.draft.slice == "negation_omission" else "negates"
    pos, neg = judge_document(pair.pos_mentions), judge_document(pair.neg_mentions)
    if pos != expected:
        return f"satisfier_{pos}_y"
    if neg != "affirms":
        return f"violator_{neg}_y"
    shown = f"{pair.pos_title}\n{pair.pos.text}"
    if find_forms(shown, pair.proposal.blocked):
        return "satisfier_shows_y_otherwise"
    if find_forms(pair.pos_title, pair.proposal.forms):
        return "y_in_title_of_satisfier"
    return None
