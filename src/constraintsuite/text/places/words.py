"""The word lists of the reader of places, from `text/data/places.yaml`."""

from __future__ import annotations

from functools import cache

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet


class PlaceWords(StrictModel):
    """Lists of names and of the words around them; the comments in the file say what each is for."""

    common_words: WordSet
    weak: WordSet
    surnames: WordSet
    no_default: WordSet
    with_article: WordSet
    may_take_article: WordSet
    adjectival: WordSet
    openers: WordSet
    directions: WordSet
    modifiers: WordSet
    locative: WordSet
    doubtful: WordSet
    negative_prepositions: WordSet
    of_nouns: WordSet
    art_nouns: WordSet
    class_nouns: dict[str, WordSet]
    appositions: WordSet
    prefixes: WordSet
    suffixes: dict[str, WordSet]
    sure_suffixes: WordSet
    definitions: dict[str, WordSet]
    offices: WordSet
    rulers: dict[str, WordSet]
    not_ruled: WordSet
    royal_titles: WordSet
    attributive: WordSet
    animals_and_foods: WordSet
    geography: WordSet
    works: WordSet
    before_works: WordSet
    person_words: WordSet
    sports: WordSet
    hyphenated: dict[str, str]
    venues: WordSet
    relations: dict[str, WordSet]
    from_before_to: WordSet
    verbs_like_nouns: WordSet
    event_nouns: WordSet
    unknown_after: WordSet
    unknown_after_to: WordSet
    not_places: WordSet
    followers: WordSet
    determiners: WordSet
    sides: WordSet
    leading: WordSet
    towards: WordSet
    before_verbs: WordSet


@cache
def place_words() -> PlaceWords:
    """The lists, read once per process."""
    return read_package_yaml(PlaceWords, "constraintsuite.text", "data", "places.yaml")


@cache
def levels_of_class_nouns() -> dict[str, str]:
    """The level that a class noun says: village means city."""
    return {noun: level for level, nouns in place_words().class_nouns.items() for noun in nouns}


@cache
def levels_of_rulers() -> dict[str, str]:
    """The level of what someone rules: a mayor a city."""
    return {noun: level for level, nouns in place_words().rulers.items() for noun in nouns}


@cache
def levels_of_definitions() -> dict[str, str]:
    """The level that a noun after "is a" says: tributary means natural."""
    return {noun: level for level, nouns in place_words().definitions.items() for noun in nouns}


@cache
def levels_of_suffixes() -> dict[str, str]:
    """The level that the last word of a name says: River means natural."""
    return {suffix: level for level, suffixes in place_words().suffixes.items() for suffix in suffixes}


@cache
def relations_of_cues() -> dict[str, str]:
    """The relation that a word says: born means born_in."""
    return {cue: relation for relation, cues in place_words().relations.items() for cue in cues}
