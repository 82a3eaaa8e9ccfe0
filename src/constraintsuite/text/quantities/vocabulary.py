"""The words around numbers, from the file `text/data/quantities.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.quantities.quantity import Bound
from constraintsuite.text.wordlists import WordSet

Phrase = tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The lists, with the phrases ordered for the search: longest first, by the word next to the number."""

    words: QuantityWords
    before: dict[str, tuple[tuple[Phrase, Bound | None], ...]]
    """By its last word: phrases before a number, with the bound, or None for about and the like; fillers have ""."""
    after: dict[str, tuple[tuple[Phrase, Bound | None], ...]]
    """By its first word: phrases after a number or its unit."""


@cache
def vocabulary() -> Vocabulary:
    """The words of the package."""
    words = read_package_yaml(QuantityWords, "constraintsuite.text", "data", "quantities.yaml")
    before = [(phrase, cast("Bound", kind)) for kind, line in words.bounds.items() for phrase in _phrases(line)]
    after = [(phrase, cast("Bound", kind)) for kind, line in words.after.items() for phrase in _phrases(line)]
    return Vocabulary(
        words,
        _index([*before, *_all(words.approximate, None), *_all(words.fillers, "")], -1),
        _index([*after, *_all(words.approximate_after, None)], 0),
    )


def _phrases(line: str) -> list[Phrase]:
    return [tuple(phrase.split()) for phrase in line.split(", ")]


def _all(line: str, kind: Bound | None) -> list[tuple[Phrase, Bound | None]]:
    return [(phrase, kind) for phrase in _phrases(line)]


def _index(
    entries: list[tuple[Phrase, Bound]] | list[tuple[Phrase, Bound | None]], side: int
) -> dict[str, tuple[tuple[Phrase, Bound | None], ...]]:
    table: dict[str, list[tuple[Phrase, Bound | None]]] = {}
    for phrase, kind in entries:
        table.setdefault(phrase[side], []).append((phrase, kind))
    return {word: tuple(sorted(found, key=lambda one: -len(one[0]))) for word, found in table.items()}
