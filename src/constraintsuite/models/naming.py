"""Model strings: a family, and for some families an argument after a colon (`bm25`, `tfidf:nevir`, `random:7`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.models import SCORERS
from constraintsuite.models.base import Scorer


class ModelName(NamedTuple):
    """A model string in its two parts; `str` gives the string back."""

    family: str
    argument: str = ""

    def __str__(self) -> str:
        return f"{self.family}:{self.argument}" if self.argument else self.family


def parse_model(text: str) -> ModelName:
    """The parts of a model string; only the first colon separates, so an argument may be an address."""
    family, colon, argument = text.partition(":")
    if colon and not argument:
        raise UserError(f"Model {text!r}: nothing stands after the colon. Leave the colon out, or name what it needs.")
    return ModelName(family, argument)


def load_scorer(text: str, documents: Sequence[str]) -> Scorer:
    """The scorer that a model string names, for a collection of these distinct texts."""
    name = parse_model(text)
    return SCORERS.load(name.family)(name.argument, documents)


def check_models(texts: Sequence[str]) -> None:
    """Refuse all wrong model strings at once, before any work is done."""
    faults = []
    for text in dict.fromkeys(texts):
        try:
            load_scorer(text, ())
        except UserError as error:
            faults.append(str(error))
    if faults:
        raise UserError("\n".join(faults))
