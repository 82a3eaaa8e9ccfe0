"""The closed word lists that a reading rests on: the file `words.yaml`, which says what each is for."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel

from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet


class ReadingWords(BaseModel, frozen=True, extra="forbid"):
    """Words that show what a document is, what it states of its subject, and where a name begins and ends."""

    copulas: WordSet
    strong_determiners: WordSet
    weak_determiners: WordSet
    sortals: WordSet
    relational: WordSet
    other_things: WordSet
    denials: WordSet
    clause_starts: WordSet
    leading_away: WordSet
    credit_starts: WordSet
    before_names: WordSet
    titles: WordSet
    particles: WordSet
    name_ends: WordSet
    list_ends: WordSet
    place_heads: WordSet


@cache
def reading_words() -> ReadingWords:
    """The bundled lists, read from `words.yaml` at the first call."""
    return ReadingWords.model_validate(read_package_yaml("constraintsuite.suites.reading", "words.yaml"))
