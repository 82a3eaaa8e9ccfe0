"""Terms that a document defines, and where it uses them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from constraintsuite.text.mentions import MentionFinder
from constraintsuite.text.readings import readings

_BRACKETED = re.compile(
    r"\(\s*(?:(?:each|together|collectively|hereinafter|in this \w+),?\s+)*(?:(?:the|an?|its)\s+)?[“\"]([A-Z][^”\"()]{1,60})[”\"]\s*\)"
)
_QUOTED = re.compile(
    r"[“\"]([A-Z][^”\"]{1,60})[”\"]\s+(?:means|shall mean|has the meaning|refers to|is defined as|denotes)\b"
)
_BARE = re.compile(r"((?:[A-Z][\w-]*)(?: [A-Z][\w-]*){0,4}) (?:means|shall mean|is defined as)\b")


def find_definitions(text: str) -> tuple[str, ...]:
    """The terms that a text defines, as they are written."""
    found = [*_BRACKETED.findall(text), *_QUOTED.findall(text)]
    bare = _BARE.match(text)
    if bare and readings(bare[1].partition(" ")[0].lower())[0].pos not in ("PRON", "DET", "ADV", "SCONJ"):  # this means
        found.append(bare[1])
    return tuple(dict.fromkeys(term.strip(" ,") for term in found))


class TermFinder:
    """Finds uses of defined terms, in capitals as they were defined; a plural is a use too."""

    def __init__(self, terms: Sequence[str]) -> None:
        forms: Mapping[str, tuple[str, ...]] = {term: (term, f"{term}s") for term in terms}
        self._finder = MentionFinder(forms)

    def find(self, text: str) -> list[str]:
        """The terms used in a text, each once, in order."""
        uses = (one.key for one in self._finder.find(text) if one.span.of(text).startswith(one.key))
        return list(dict.fromkeys(uses))
