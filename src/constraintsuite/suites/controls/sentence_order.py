"""Two neighbouring sentences in each other's place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from constraintsuite.records.text import Span
from constraintsuite.suites.controls.files import guard_words
from constraintsuite.suites.controls.rewriting import Rewritten, exchange
from constraintsuite.text.terms import TermAnalyser, words

_ELLIPSIS = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)(?: not|n['’]t)?[,.;:!?]")
_DEFINITION = re.compile(r"\b(?:is|are|was|were) an?\b")
_ANALYSER = TermAnalyser()
_QUOTED = re.compile(r"[:\"“”…]")


def find(text: str, sentences: Sequence[Span]) -> Iterator[tuple[str, Rewritten]]:
    """The exchanges in a text: never of the two that open it, and only where the next one does not lean on them."""
    for index in range(2, len(sentences) - 1):
        one, two = sentences[index], sentences[index + 1]
        following = sentences[index + 2 : index + 3]
        if _independent(one.of(text), two.of(text)) and all(_stands_alone(span.of(text)) for span in following):
            yield f"sentences {index + 1} and {index + 2} exchanged", exchange(text, one, two)


def _independent(one: str, two: str) -> bool:
    """Whether both are descriptions, neither leans on the other, and they share no word of content."""
    statives = guard_words().statives
    for sentence in (one, two):
        if not _stands_alone(sentence) or _DEFINITION.search(sentence) or not statives.intersection(words(sentence)):
            return False
    return not set(_ANALYSER.terms(one)) & set(_ANALYSER.terms(two))


def _stands_alone(sentence: str) -> bool:
    lists = guard_words()
    tokens = words(sentence)
    return (
        len(tokens) >= 4
        and sentence[-1] == "."
        and tokens[0] not in lists.opening
        and not lists.leaning.intersection(tokens)
        and not _QUOTED.search(sentence)
        and not _ELLIPSIS.search(sentence)
    )
