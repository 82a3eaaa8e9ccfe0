"""The words that dates are written with, from the file `dates.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet


class DateWords(StrictModel):
    """Word lists of the file `dates.yaml`, which says what each is for."""

    months: dict[str, int]
    weekdays: WordSet
    seasons: dict[str, int]
    ordinals: dict[str, int]
    decades: dict[str, int]
    approximate: tuple[str, ...]
    bounds: dict[str, tuple[str, ...]]
    dated_things: WordSet
    events_of_nouns: dict[str, WordSet]
    nouns_before_of: WordSet
    prepositions: tuple[str, ...]
    determiners: WordSet
    name_particles: WordSet
    writing: WordSet
    long_ago: WordSet
    dating_words: WordSet
    amounts: WordSet
    counted: WordSet
    institutions: WordSet
    offices: WordSet
    verbs_of_making: WordSet
    relative: WordSet
    periods: WordSet


@cache
def date_words() -> DateWords:
    """The word lists, read once."""
    return read_package_yaml(DateWords, "constraintsuite.text", "data", "dates.yaml")


@cache
def event_of_noun() -> dict[str, str]:
    """The event of each noun that a year may stand before: `film` was released."""
    return {noun: event for event, nouns in date_words().events_of_nouns.items() for noun in sorted(nouns)}


def either(words: Iterable[str]) -> str:
    """A regular expression for one of the words, the longest first."""
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s{1,3}") for word in sorted(words, key=lambda one: (-len(one), one))
    )
