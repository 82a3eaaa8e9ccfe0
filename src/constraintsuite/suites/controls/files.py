"""The data files of this folder, each read into a checked model."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from pydantic import BaseModel

from constraintsuite.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import Words

Model = TypeVar("Model", bound=BaseModel)


def read_data(name: str, model: type[Model]) -> Model:
    """A file of `controls/data` as a `model`; a wrong key or type is an error."""
    return model.model_validate(read_package_yaml("constraintsuite.suites.controls", "data", name))


class GuardWords(BaseModel, frozen=True, extra="forbid"):
    """Closed lists of words that forbid a rewriting; the file says what each is for."""

    cues: Words
    cue_parts: Words
    leaning: Words
    opening: Words
    subordinators: Words
    statives: Words
    auxiliaries: Words
    participles: Words
    not_conjuncts: Words
    verbs_with_objects: Words
    linking_verbs: Words
    clause_starts: Words
    before_adverbials: Words
    binomials: frozenset[str]
    exchangeable: Words
    homographs: Words


@cache
def guard_words() -> GuardWords:
    """The lists of `words.yaml`."""
    return read_data("words.yaml", GuardWords)
