"""The cue lexicon: the file `data/cues.yaml`, validated, with its phrases compiled for matching.

A phrase is a sequence of elements: `word`, `one|other`, `VERB` in capitals for any form of that verb, `<NOUN>` for a part of
speech, `?` after an optional element, `*` for an optional adverb, `...` for a gap of a few words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.base import ScopeKind
from constraintsuite.text.wordlists import WordSet, read_text

FILE = "cues.yaml"
Sort = Literal["word", "verb", "pos", "gap"]


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [" ".join(phrase.split()) for phrase in value.replace("\n", ";").split(";") if phrase.strip()]


class CueGroup(StrictModel):
    """Phrases whose scopes are drawn by the same function and have the same kind."""

    rule: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    draw: str
    """Name of the function that draws the scope; see `text/scope.py`."""
    kind: ScopeKind = "negated"
    phrases: Annotated[tuple[str, ...], BeforeValidator(_split)] = Field(min_length=1)
    """Written in YAML as one string, with semicolons or line ends between phrases."""


class Lexicon(StrictModel):
    """All cues, and the word lists that the scope rules use."""

    groups: tuple[CueGroup, ...]
    lists: dict[str, WordSet]


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a phrase."""

    sort: Sort
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A compiled phrase and the group it belongs to."""

    elements: tuple[Element, ...]
    group: CueGroup


@cache
def lexicon() -> Lexicon:
    """The cue lexicon of the package, read once per process."""
    return read_package_yaml(Lexicon, "constraintsuite.text", "data", FILE)


@cache
def lexicon_digest() -> str:
    """Eight hexadecimal digits that change when the lexicon changes."""
    return hashlib.sha256(read_text(FILE).encode()).hexdigest()[:8]


@cache
def word_list(name: str) -> frozenset[str]:
    """A word list of the lexicon."""
    return lexicon().lists[name]


class PhraseGroup(NamedTuple):
    """The phrases that begin with the same word or verb."""

    by_second: dict[str, list[Phrase]]
    """The phrases whose second element is a word, by that word."""
    others: list[Phrase]


def all_verbs() -> frozenset[str]:
    """Every verb in a phrase."""
    rows = (row for group in lexicon().groups for text in group.phrases for row in compile_phrase(text))
    return frozenset(value for row in rows for one in row if one.sort == "verb" for value in one.values)


@cache
def phrases_by_start(sort: Literal["word", "verb"]) -> dict[str, PhraseGroup]:
    """The phrases that begin with a word, by that word; or with any form of a verb, by that verb."""
    table: dict[str, PhraseGroup] = {}
    for group in lexicon().groups:
        for text in group.phrases:
            for elements in compile_phrase(text):
                if elements[0].sort == sort:
                    for value in sorted(elements[0].values):
                        _enter(table.setdefault(value, PhraseGroup({}, [])), Phrase(elements, group))
    return table


def _enter(entry: PhraseGroup, phrase: Phrase) -> None:
    if len(phrase.elements) > 1 and phrase.elements[1].sort == "word":
        for word in phrase.elements[1].values:
            entry.by_second.setdefault(word, []).append(phrase)
    else:
        entry.others.append(phrase)


def compile_phrase(text: str) -> Iterator[tuple[Element, ...]]:
    """The sequences of elements of a phrase: one with and one without each optional element."""
    rows: list[tuple[Element, ...]] = [()]
    for part in text.split():
        if part == "*":
            element, optional = Element("pos", frozenset(("ADV",))), True
        else:
            element, optional = _element(part.removesuffix("?")), part.endswith("?")
        rows = [(*row, element) for row in rows] + (rows if optional else [])
    for row in rows:
        if not row or row[0].sort not in ("word", "verb"):
            raise ValueError(f"{FILE}: the phrase {text!r} must begin with a word or a verb.")
        yield row


def _element(part: str) -> Element:
    if part == "...":
        return Element("gap", frozenset())
    if part.startswith("<"):
        return Element("pos", frozenset(part.strip("<>").split("|")))
    if part.isupper() and part.isalpha() and len(part) > 1:
        return Element("verb", frozenset((part.lower(),)))
    if part.replace("|", "").isupper() and "|" in part:
        return Element("verb", frozenset(part.lower().split("|")))
    return Element("word", frozenset(part.split("|")))
