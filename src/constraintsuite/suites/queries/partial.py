"""Statements that do not hold for the whole thing: "no Wi-Fi in the rooms", "pets cannot be ...", "on the terrace only"."""

from __future__ import annotations

import re
from functools import cache

from constraintsuite.core.records.text import Span
from constraintsuite.suites.word_lists import query_words

_CLAUSE_END = re.compile(r"[,;.:!?—–(]")
_SENTENCE_START = re.compile(r"[.;:!?]\s")


_TAKEN_BACK = re.compile(
    r"^\W*(?:[\w-]+ ){0,3}?(?:cannot|never|[a-z]+n['’]t|(?:is|are|was|were|do|does|did|has|have|had|can|may|will) not"
    r"|switched off|left out)\b|\b(?:only|limited)\b"
)


def is_denied_in_part(text: str, mention: Span) -> bool:
    """Whether the clause around a denied mention says that it is denied for a part, a time or some people only."""
    after = _rest_of_clause(text, mention)
    before = _SENTENCE_START.split(text[: mention.start])[-1].lower().split()
    if before and before[0] in query_words()["restricting_starts"]:
        return True
    return bool(_part().search(after)) or not query_words()["restricting"].isdisjoint(re.findall(r"[\w-]+", after))


def is_taken_back(text: str, mention: Span) -> bool:
    """Whether the clause after an affirmed mention denies it or narrows it: "pets cannot stay", "smoking outside only".

    Nor is something there for sure that is optional, usual elsewhere, or one of two ("on the stove or in the oven"). The
    analyser may read such a mention as affirmed; the document is then better not used.
    """
    return bool(_TAKEN_BACK.search(_rest_of_clause(text, mention))) or _is_hedged(text, mention)


def _is_hedged(text: str, mention: Span) -> bool:
    if text[mention.start].isupper() and mention.of(text)[1:2].islower():
        before = text[: mention.start].rstrip()
        if before and before[-1] not in ".!?:;":  # a name
            return False
    start = max((found.end() for found in _SENTENCE_START.finditer(text, 0, mention.start)), default=0)
    sentence = f"{text[start : mention.start]}{_SENTENCE_START.split(text[mention.start :])[0]}"
    return not query_words()["hedges"].isdisjoint(re.findall(r"[\w-]+", sentence.lower()))


def _rest_of_clause(text: str, mention: Span) -> str:
    end = _CLAUSE_END.search(text, mention.end)
    return text[mention.end : end.start() if end else len(text)].lower()


@cache
def _part() -> re.Pattern[str]:
    prepositions, parts = ("|".join(sorted(query_words()[name])) for name in ("before_parts", "parts"))
    return re.compile(rf"\b(?:{prepositions})\b.*\b(?:{parts})\b")
