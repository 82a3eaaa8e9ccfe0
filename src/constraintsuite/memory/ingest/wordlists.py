"""The word lists of ingestion: `data/words.yaml`, read once and checked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from constraintsuite.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import Words


def _split_phrases(value: object) -> object:
    return [phrase.split() for phrase in value.split(";")] if isinstance(value, str) else value


Phrases = Annotated[frozenset[tuple[str, ...]], BeforeValidator(_split_phrases)]
"""Words that stand together, with semicolons between."""


class WordLists(BaseModel, frozen=True, extra="forbid"):
    """What each list is for stands in the file."""

    asking: Words
    asking_someone: Words
    pointed: Words
    events: Words
    agents: Words
    authorities: Words
    escalating: Words
    telling: Words
    remedy_verbs: Words
    repairing_verbs: Words
    wrongs: Words
    remedy_nouns: Words
    statuses: Words
    bound_adjectives: Words
    bound_verbs: Words
    barred_adjectives: Words
    light: Words
    outcomes: Words
    stances: Words
    conditions: Phrases
    exceptions: Phrases
    conditional_openings: Words
    anaphors: Words
    openers: Words
    exempt: Words
    after_exempt: Words
    applying: Words
    getting: Words
    particles: Words
    inside_names: Words
    numbers: Mapping[str, int]
    months: tuple[str, ...]
    short_units: Mapping[str, str]
    counted_apart: Words


@cache
def word_lists() -> WordLists:
    """The lists."""
    return WordLists.model_validate(read_package_yaml("constraintsuite.memory.ingest", "data", "words.yaml"))
