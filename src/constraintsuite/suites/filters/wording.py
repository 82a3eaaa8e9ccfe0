"""An edit leaves good text behind."""

from __future__ import annotations

import re

from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.text.editing import starts_with_vowel_sound

_FAULTS = re.compile(r" ,|,,|\.\.(?!\.)|  | \.(?=\s|$)|\b(\w+) \1 \1\b", re.IGNORECASE)

_ARTICLE = re.compile(r"(?<![\w-])(an?) ([\w-]{2,})(?=\W)", re.IGNORECASE)


def check(pair: CheckedPair) -> str | None:
    """Reject edited texts with a fault that the passage around the edit did not have."""
    for document in pair.draft.documents:
        for start, end in document.changed:
            around = document.text[max(0, start - 4) : end + 12]
            if _FAULTS.search(around) or _wrong_article(around):
                return "edit_not_clean"
    return None


def _wrong_article(text: str) -> bool:
    found = _ARTICLE.findall(text)
    return any((article.lower() == "an") != starts_with_vowel_sound(word) for article, word in found)
