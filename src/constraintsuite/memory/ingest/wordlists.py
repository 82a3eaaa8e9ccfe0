"""The word lists of ingestion, from `data/words.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet

Phrases = Annotated[
    frozenset[tuple[str, ...]],
    BeforeValidator(lambda value: [phrase.split() for phrase in value.split(";")] if isinstance(value, str) else value),
]
"""Phrases, separated by semicolons."""


class WordLists(StrictModel):
    """All lists; the file explains what each is for."""

    asking: WordSet
    asking_someone: WordSet
    pointed: WordSet
    events: WordSet
    agents: WordSet
    authorities: WordSet
    escalating: WordSet
    telling: WordSet
    remedy_verbs: WordSet
    repairing_verbs: WordSet
    wrongs: WordSet
    remedy_nouns: WordSet
    statuses: WordSet
    bound_adjectives: WordSet
    bound_verbs: WordSet
    barred_adjectives: WordSet
    light: WordSet
    outcomes: WordSet
    stances: WordSet
    conditions: Phrases
    exceptions: Phrases
    conditional_openings: WordSet
    anaphors: WordSet
    openers: WordSet
    exempt: WordSet
    after_exempt: WordSet
    applying: WordSet
    getting: WordSet
    particles: WordSet
    inside_names: WordSet
    numbers: Mapping[str, int]
    months: tuple[str, ...]
    short_units: Mapping[str, str]
    counted_apart: WordSet


@cache
def word_lists() -> WordLists:
    """Read and check the lists, once per process."""
    return read_package_yaml(WordLists, "constraintsuite.memory.ingest", "data", "words.yaml")
