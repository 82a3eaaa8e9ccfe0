"""Upper and lower case: the same letters, so the same meaning."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from constraintsuite.records.examples import Example
from constraintsuite.suites.controls.rewriting import (
    Piece,
    Rewritten,
    RewrittenExample,
    first_success,
    guard_words,
    recased,
    rewrite_documents,
    rewrite_query,
)
from constraintsuite.text.terms import words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def rewrite(example: Example, rng: random.Random) -> RewrittenExample | None:
    """The queries in another case, or the first letters of both documents, names included."""
    return first_success(example, [partial(_recase, way) for way in rng.sample(_WAYS, len(_WAYS))])


def upper(text: str) -> str:
    """All letters large."""
    return "".join(recased(character, str.upper) for character in text)


def lower(text: str) -> str:
    """All letters small."""
    return "".join(recased(character, str.lower) for character in text)


def large_first_letters(text: str) -> str:
    """The first letter of each word large."""
    return _WORD.sub(lambda match: recased(match.group()[0], str.upper) + match.group()[1:], text)


def small_first_letters(text: str) -> str:
    """The first letter of each word small, except in abbreviations such as DNA."""
    return _WORD.sub(lambda match: _small_first_letter(match.group()), text)


class _Way(NamedTuple):
    target: Literal["query", "documents"]
    name: str
    change: Callable[[str], str]
    loses_capitals: bool = False


_WAYS = (
    _Way("query", "in capitals", upper),
    _Way("query", "in title case", large_first_letters),
    _Way("query", "in lower case", lower, loses_capitals=True),
    _Way("documents", "with large first letters", large_first_letters),
    _Way("documents", "with small first letters", small_first_letters, loses_capitals=True),
)


def _recase(way: _Way, example: Example) -> RewrittenExample | None:
    if way.loses_capitals and guard_words().homographs.intersection(words(example.query)):
        return None
    note = f"case: {way.target} {way.name}"
    if way.target == "query":
        return rewrite_query(example, note, way.change)
    return rewrite_documents(example, note, lambda text: Rewritten((Piece(way.change(text), 0),)))


def _small_first_letter(word: str) -> str:
    if len(word) > 1 and word[1:] != word[1:].lower():
        return word
    return recased(word[0], str.lower) + word[1:]
