"""The words around a mention: its noun phrase, its clause, its sentence and the sentence after it, in lower case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.core.records.text import Span
from constraintsuite.suites.reading.records import NounReading
from constraintsuite.text.mentions import fold

_SENTENCE_END = re.compile(r"[.!?]+[\"”’')]*\s+|\n+")
_CLAUSE_MARK = re.compile(
    r"[,;:!?—–()]\s*|\.\s|\s-\s"
    r"|\s(?=(?:but|yet(?! to)|although|though|whereas|while|because|since|so|which|who|where|nor)\s)"
    r"|\s(?=and (?:[a-z]+n't|no|not|it|there|we|you|they|the|our|do|does|is|are|has|have|can|cannot|never|neither|without|with|in|on)\s)"
)
_SECTION_MARK = re.compile(
    r"[;:!?—–()]\s*|\s-\s|,?\s(?=(?:but|yet(?! to)|although|though|whereas|while)\s)|, (?=and (?:the|it|there|we|they)\s)"
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands before and after a mention of Y."""

    y: str
    sentence: str
    """The whole sentence."""
    section: str
    """The part of the sentence between strong marks and contrasts; commas do not end it."""
    clause_before: str
    clause_after: str
    opening: str
    """The clause before the mention, as it is written; in a list, from the beginning of the section."""
    sentence_after: str
    """The rest of the sentence."""
    following: str
    """The next sentence; empty at the end."""
    modifiers: tuple[str, ...]
    """Words of the noun phrase before Y: "small" in "small dogs"."""
    compounded: bool
    """Whether the last of them is a noun: "coconut milk"."""
    before_phrase: str
    """The sentence before the noun phrase."""
    head: str
    """The noun that Y only modifies: "noodles" in "egg noodles"; empty if Y is the noun itself."""

    @property
    def clause(self) -> str:
        """The clause around the mention."""
        return f"{self.clause_before}{self.y}{self.clause_after}"

    @property
    def is_question(self) -> bool:
        """Whether the sentence asks, and so says nothing."""
        return self.sentence.rstrip().endswith("?")


def surroundings_of(text: str, mention: Span, nouns: Sequence[NounReading]) -> Surroundings:
    """What stands around one mention; `nouns` are the nouns of the text."""
    folded = fold(text)
    start = max((found.end() for found in _SENTENCE_END.finditer(folded, 0, mention.start)), default=0)
    found_end = _SENTENCE_END.search(folded, mention.end)
    end = found_end.end() if found_end else len(folded)
    next_end = _SENTENCE_END.search(folded, end)
    before, after = folded[start : mention.start], folded[mention.end : end]
    clause_start = max((found.end() for found in _CLAUSE_MARK.finditer(before)), default=0)
    clause_end = _CLAUSE_MARK.search(after)
    phrase = next((noun for noun in nouns if noun.start < mention.end <= noun.end), None)
    beside = next((noun for noun in nouns if noun.start == mention.end + 1 and folded[mention.end] == " "), None)
    phrase_start = mention.start if phrase is None else min(phrase.start, mention.start)
    modifiers = tuple(folded[phrase_start : mention.start].replace("-", " ").split())
    tokens = len(folded[phrase_start : mention.start].split())
    section_start = max((found.end() for found in _SECTION_MARK.finditer(before)), default=0)
    section_end = _SECTION_MARK.search(after)
    return Surroundings(
        y=folded[mention.start : mention.end],
        sentence=folded[start:end],
        section=f"{before[section_start:]}{folded[mention.start : mention.end]}{after[: section_end.start()] if section_end else after}",
        clause_before=before[clause_start:],
        opening=text[start + (clause_start if before[clause_start:].strip() else section_start) : mention.start],
        clause_after=after[: clause_end.start()] if clause_end else after,
        sentence_after=after,
        following=folded[end : next_end.end() if next_end else len(folded)] if found_end else "",
        modifiers=modifiers,
        compounded=phrase is not None
        and 0 < tokens < len(phrase.parts)
        and phrase.parts[tokens - 1] in ("NOUN", "PROPN"),
        before_phrase=folded[start:phrase_start],
        head=folded[mention.end : max(found.end for found in (phrase, beside) if found is not None)].strip()
        if phrase is not None or beside is not None
        else "",
    )
