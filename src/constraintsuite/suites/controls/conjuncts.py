"""Plain conjuncts in each other's place: "with garlic and thyme", "with thyme and garlic"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from lemminflect import getAllLemmas

from constraintsuite.records.text import Span
from constraintsuite.suites.controls.files import guard_words
from constraintsuite.suites.controls.rewriting import Rewritten, exchange

_TIED = re.compile(r"\b(?:respectively|former|latter|first|then)\b")


def find(text: str, sentence: Span) -> Iterator[tuple[str, Rewritten]]:
    """The exchanges in one sentence, each with a label."""
    if _TIED.search(text, sentence.start, sentence.end):
        return
    for pattern, fit in _patterns():
        for found in pattern.finditer(text, sentence.start, sentence.end):
            a, b = found.group("a"), found.group("b")
            if a != b and not {f"{a} {b}", f"{b} {a}"} & guard_words().binomials and fit(a, b):
                label = f"{a!r} and {b!r} exchanged"
                yield label, exchange(text, Span(*found.span("a")), Span(*found.span("b")))


class _Pattern(NamedTuple):
    pattern: re.Pattern[str]
    fit: Callable[[str, str], bool]


@cache
def _patterns() -> tuple[_Pattern, ...]:
    lists = guard_words()
    two = r"(?P<a>[a-z]{3,})\sand\s(?P<b>[a-z]{3,})"
    stop = r"(?=[.,;:!?)]|$)"
    goes_on = r"(?=[.,;:!?)]|$|\s(?:in|on|at|by|to|for|from|is|are|was|were|under|beside|behind|until|over)\b)"
    name = r"[A-Z][\w’'-]*\.?(?:\s[A-Z][\w’'-]*\.?)*\s[A-Z][\w’'-]*\w"
    sources = (
        (rf"\b(?:with|of|from|for|between|in|on|by|into|through)\s{two}{goes_on}", _plain_nouns),
        (rf"\b(?:{'|'.join(sorted(lists.verbs_with_objects))})\s{two}{stop}", _plain_nouns),
        (rf"\b[a-z]{{3,}},\s{two}{stop}", _plain_nouns),
        (rf"\b(?:{'|'.join(sorted(lists.linking_verbs))})\s{two}{stop}", _plain_adjectives),
        (rf"\b{two}(?=\sby\b)", _exchangeable),
        (
            rf"\b(?:by|starring|stars|star|featuring|features|between)\s(?:{name},\s)*"
            rf"(?P<a>{name}),?\sand\s(?P<b>{name})(?=[.,;]|$|\s(?:in|is|was|at|on|with|under|from)\b)",
            _names,
        ),
    )
    return tuple(_Pattern(re.compile(source), fit) for source, fit in sources)


def _plain_nouns(a: str, b: str) -> bool:
    """Whether neither can be a verb that goes on after "and" ("with salt and serve"), nor a word that modifies."""
    if {a, b} & guard_words().not_conjuncts:
        return False
    first = readings(a)
    return "NOUN" in first and "ADJ" not in first and readings(b) == {"NOUN"}


def _plain_adjectives(a: str, b: str) -> bool:
    if {a, b} & guard_words().not_conjuncts:
        return False
    return "ADJ" in readings(a) and "ADJ" in readings(b)


def _exchangeable(a: str, b: str) -> bool:
    return {a, b} <= guard_words().exchangeable


def _names(a: str, b: str) -> bool:
    return not a.endswith(("'s", "’s")) and not b.endswith(("'s", "’s"))


@cache
def readings(word: str) -> frozenset[str]:
    """The parts of speech that a dictionary gives for a word: NOUN, VERB, ADJ, ..."""
    return frozenset(getAllLemmas(word))
