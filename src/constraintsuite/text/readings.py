"""The possible parts of speech and base forms of a word, from the closed classes and the dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.inflection import get_all_inflections, get_all_lemmas
from constraintsuite.text.wordlists import WordSet

UNIVERSAL = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "VB": "VERB", "VBP": "VERB", "VBZ": "VERB", "VBD": "VERB",
    "VBN": "VERB", "VBG": "VERB", "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "RB": "ADV", "RBR": "ADV", "RBS": "ADV",
    "CD": "NUM",
}  # fmt: skip
_SUFFIXES = {
    "ly": ("RB",),
    "ing": ("VBG", "NN"),
    "ings": ("NNS",),
    "ed": ("VBN", "VBD", "JJ"),
    "s": ("NNS",),
    **dict.fromkeys(("ss", "us", "is"), ("NN",)),
    **dict.fromkeys(("less", "free", "able", "ible", "ful", "ous", "ish", "ic", "ical"), ("JJ",)),
}


class WordReading(NamedTuple):
    """One possible part of speech of a word."""

    tag: str
    pos: str
    lemma: str


class _Group(StrictModel):
    pos: str
    tag: str
    words: WordSet


class ClosedClasses(StrictModel):
    """Function words by part of speech."""

    groups: tuple[_Group, ...]
    lemmas: dict[str, str]
    also_open: WordSet


@lru_cache(maxsize=200_000)
def readings(word: str) -> tuple[WordReading, ...]:
    """All readings of `word` (in lower case), at least one."""
    closed = _closed().get(word, ())
    if closed and word not in _closed_classes().also_open:
        return closed
    found = dict.fromkeys([*closed, *_known(word)] or _guess(word))
    return tuple(found)


def in_dictionary(word: str) -> bool:
    """Whether `word` (in lower case) is in the dictionary; other words are guessed from their endings."""
    return word in _closed() or bool(get_all_lemmas(word))


def is_function_word(word: str) -> bool:
    """Whether `word` (in lower case) belongs to a closed class, such as articles, pronouns and prepositions."""
    return word in _closed()


@cache
def _closed_classes() -> ClosedClasses:
    """The function words of the file `closed_classes.yaml`."""
    return read_package_yaml(ClosedClasses, "constraintsuite.text", "data", "closed_classes.yaml")


@cache
def _closed() -> dict[str, tuple[WordReading, ...]]:
    table: dict[str, list[WordReading]] = {}
    data = _closed_classes()
    for group in data.groups:
        for word in sorted(group.words):
            lemma = "'s" if group.tag == "POS" else data.lemmas.get(word, "be" if word in ("'s", "’s") else word)
            table.setdefault(word, []).append(WordReading(group.tag, group.pos, lemma))
    return {word: tuple(found) for word, found in table.items()}


def _known(word: str) -> Iterator[WordReading]:
    for pos, lemmas in get_all_lemmas(word).items():
        for lemma in lemmas:
            for tag in _tags(word, lemma, pos):
                yield WordReading(tag, UNIVERSAL[tag], lemma)
                # Plurals that the dictionary lacks, such as templates.
                if tag == "VBZ" and "NOUN" in get_all_lemmas(lemma):
                    yield WordReading("NNS", "NOUN", lemma)


def _tags(word: str, lemma: str, pos: str) -> list[str]:
    if pos == "AUX":
        return []
    if pos == "ADV":
        return ["RB"]
    forms = get_all_inflections(lemma, pos)
    tags = [tag for tag, spellings in forms.items() if word in spellings and tag in UNIVERSAL]
    if "VB" in tags:
        tags.append("VBP")
    if "VBD" in tags and "VBN" not in forms:
        tags.append("VBN")
    if "NN" in tags and "NNS" in tags:
        tags.remove("NNS")
    default = {"NOUN": "NN" if word == lemma else "NNS", "ADJ": "JJ", "VERB": "VB"}
    return tags or [default.get(pos, "NN")]


def _guess(word: str) -> list[WordReading]:
    if word[:1].isdigit():
        return [WordReading("CD", "NUM", word)]
    if not any(character.isalnum() for character in word):
        return [_mark(word)]
    for suffix, tags in sorted(_SUFFIXES.items(), key=lambda item: -len(item[0])):
        if word.endswith(suffix) and len(word) > len(suffix) + 2:
            return [WordReading(tag, UNIVERSAL[tag], _base(word, tag)) for tag in tags]
    return [WordReading("NN", "NOUN", word)]


def _base(word: str, tag: str) -> str:
    if tag == "NNS":
        return word[:-3] + "y" if word.endswith("ies") else word[:-1]
    if tag in ("VBN", "VBD", "VBG"):
        return word.removesuffix("ing").removesuffix("ed")
    return word


def _mark(mark: str) -> WordReading:
    if mark in "$€£%+=<>#@°©®™*/\\|~^_":
        return WordReading("SYM", "SYM", mark)
    tags = {",": ",", ";": ":", ":": ":", "(": "-LRB-", "[": "-LRB-", ")": "-RRB-", "]": "-RRB-"}
    if mark[0] in ".!?":
        return WordReading(":" if mark.startswith("..") else ".", "PUNCT", mark)
    if mark[0] in "\"“”'‘’«»`":
        return WordReading("''", "PUNCT", mark)
    return WordReading(tags.get(mark, ":"), "PUNCT", mark)
