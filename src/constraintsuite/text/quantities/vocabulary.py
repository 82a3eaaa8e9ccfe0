"""The words around numbers, from the file `text/data/quantities.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.quantities.quantity import QuantityBound
from constraintsuite.text.wordlists import WordSet

WordSequence = tuple[str, ...]


class QuantityWords(StrictModel):
    """The lists of the file."""

    bounds: dict[str, str]
    after: dict[str, str]
    approximate: str
    approximate_after: str
    fillers: str
    change_verbs: WordSet
    months: WordSet
    labels: WordSet
    people: WordSet
    holders: WordSet
    per_words: WordSet
    per_units: WordSet
    not_counted: WordSet
    invariant: WordSet
    no_modifiers: WordSet
    several_more: WordSet
    glued_nouns: WordSet
    measured_nouns: WordSet


class ContextWords(StrictModel):
    """Words near a number that tell what it is, from `quantity_contexts.yaml`."""

    abbreviations: WordSet
    """Words whose point ends no sentence."""
    after_bare_number: WordSet
    """Words that may follow a number without a unit."""
    after_inches: WordSet
    """Words after "12 in" that make it a length."""
    after_mark: WordSet
    """Words after "nine out of ten" that are not counted."""
    angles: WordSet
    """Words of turning and direction, which degrees measure."""
    before_over: WordSet
    """Words before "over three years" that rule out the meaning during."""
    before_year: WordSet
    """Words before digits that may be a year."""
    containers: WordSet
    """Nouns that measure out: one slice, one cup."""
    heating: WordSet
    """Words that make 350F a temperature."""
    marked_things: WordSet
    """Things that get points from critics."""
    marking: WordSet
    """Words of reviews, near which 9/10 is a mark."""
    money: WordSet
    """Words near which pounds are a currency."""
    no_things: WordSet
    """Nouns before a quantity that are no things: an average of."""
    not_with_one: WordSet
    """Units that "one" does not count: one day, one star."""
    nutrients: WordSet
    """Contents of food."""
    parts: WordSet
    """Counted nouns that measure what follows "of"."""
    priced: WordSet
    """What "from £40" is the price of."""
    reaching: WordSet
    """Words between "population" and its number."""
    spreading: WordSet
    """Verbs before "over" that say where something lies."""
    turning: WordSet
    """Words of angles, in which degrees are no temperature."""
    up_verbs: WordSet
    """Verbs that "up" belongs to: warm up to 20 °C."""
    warmth: WordSet
    """Words of heat and cold, which degrees measure."""
    weighing: WordSet
    """Words near which pounds are a weight."""
    yearly: WordSet
    """Nouns after a year: the 2004 season."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The lists, with the phrases ordered for the search: longest first, by the word next to the number."""

    words: QuantityWords
    before: dict[str, tuple[tuple[WordSequence, QuantityBound | None], ...]]
    """By its last word: phrases before a number, with the bound, or None for about and the like; fillers have ""."""
    after: dict[str, tuple[tuple[WordSequence, QuantityBound | None], ...]]
    """By its first word: phrases after a number or its unit."""


@cache
def vocabulary() -> Vocabulary:
    """The words of the package."""
    words = read_package_yaml(QuantityWords, "constraintsuite.text", "data", "quantities.yaml")
    before = [(phrase, cast("QuantityBound", kind)) for kind, line in words.bounds.items() for phrase in _phrases(line)]
    after = [(phrase, cast("QuantityBound", kind)) for kind, line in words.after.items() for phrase in _phrases(line)]
    return Vocabulary(
        words,
        _index([*before, *_all(words.approximate, None), *_all(words.fillers, "")], -1),
        _index([*after, *_all(words.approximate_after, None)], 0),
    )


def _phrases(line: str) -> list[WordSequence]:
    return [tuple(phrase.split()) for phrase in line.split(", ")]


def _all(line: str, kind: QuantityBound | None) -> list[tuple[WordSequence, QuantityBound | None]]:
    return [(phrase, kind) for phrase in _phrases(line)]


def _index(
    entries: list[tuple[WordSequence, QuantityBound]] | list[tuple[WordSequence, QuantityBound | None]], side: int
) -> dict[str, tuple[tuple[WordSequence, QuantityBound | None], ...]]:
    table: dict[str, list[tuple[WordSequence, QuantityBound | None]]] = {}
    for phrase, kind in entries:
        table.setdefault(phrase[side], []).append((phrase, kind))
    return {word: tuple(sorted(found, key=lambda one: -len(one[0]))) for word, found in table.items()}


@cache
def context_words() -> ContextWords:
    """The words near numbers of the package."""
    return read_package_yaml(ContextWords, "constraintsuite.text", "data", "quantity_contexts.yaml")
