"""The data files of this folder, each read into a checked model."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from pydantic import BaseModel

from constraintsuite.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet

Model = TypeVar("Model", bound=BaseModel)


def read_data(name: str, model: type[Model]) -> Model:
    """A file of `controls/data` as a `model`; a wrong key or type is an error."""
    return model.model_validate(read_package_yaml("constraintsuite.suites.controls", "data", name))


class GuardWords(BaseModel, frozen=True, extra="forbid"):
    """Closed lists of words that forbid a rewriting; the file says what each is for."""

    cues: WordSet
    cue_parts: WordSet
    leaning: WordSet
    opening: WordSet
    subordinators: WordSet
    statives: WordSet
    auxiliaries: WordSet
    participles: WordSet
    not_conjuncts: WordSet
    verbs_with_objects: WordSet
    linking_verbs: WordSet
    clause_starts: WordSet
    before_adverbials: WordSet
    binomials: frozenset[str]
    exchangeable: WordSet
    homographs: WordSet


@cache
def guard_words() -> GuardWords:
    """The lists of `words.yaml`."""
    return read_data("words.yaml", GuardWords)
