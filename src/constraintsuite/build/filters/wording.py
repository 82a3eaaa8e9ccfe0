"""An edit leaves good text behind."""

from __future__ import annotations

import re

from constraintsuite.build.filters.base import CheckedPair

_FAULTS = re.compile(
    r" ,|,,|\.\.(?!\.)|  | \.(?=\s|$)|\ba [aeio]\w|\b(?:an) [bcdfgjklmnpqrstvwxz]\w|\b(\w+) \1 \1\b", re.IGNORECASE
)


def check(pair: CheckedPair) -> str | None:
    """Reject edited texts with a fault that the passage around the edit did not have."""
    if pair.draft.edit is None:
        return None
    for text, spans in ((pair.pos.text, pair.draft.edit.spans_pos), (pair.neg.text, pair.draft.edit.spans_neg)):
        for start, end in spans:
            if _FAULTS.search(text[max(0, start - 4) : end + 4]):
                return "edit_not_clean"
    return None
