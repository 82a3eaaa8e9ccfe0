"""The word lists of ingestion: `data/words.yaml`, read once and checked."""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel

from constraintsuite.text.wordlists import Words


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


@cache
def word_lists() -> WordLists:
    """The lists."""
    text = resources.files("constraintsuite.memory.ingest").joinpath("data", "words.yaml").read_text(encoding="utf-8")
    return WordLists.model_validate(yaml.safe_load(text))
