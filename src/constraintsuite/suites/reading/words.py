"""The closed word lists that a reading rests on: the file `words.yaml`, which says what each is for."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel

from constraintsuite.suites.reading.files import read_beside
from constraintsuite.text.wordlists import Words


class ReadingWords(BaseModel, frozen=True, extra="forbid"):
    """Words that show what a document is, what it states of its subject, and where a name begins and ends."""

    copulas: Words
    strong_determiners: Words
    weak_determiners: Words
    sortals: Words
    relational: Words
    other_things: Words
    denials: Words
    clause_starts: Words
    leading_away: Words
    credit_starts: Words
    before_names: Words
    titles: Words
    particles: Words
    name_ends: Words
    list_ends: Words
    place_heads: Words


@cache
def reading_words() -> ReadingWords:
    """The lists, read once."""
    return read_beside("constraintsuite.suites.reading", "words.yaml", ReadingWords)
