"""Model strings: a family, what it needs after a colon, and options after commas.

`bm25`, `tfidf:nevir`, `dense:all-MiniLM-L6-v2,precision=int8`, `cross:my/folder,length=256,backend=torch`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.jsonl import describe
from constraintsuite.models import SCORERS
from constraintsuite.models.base import Scorer, Workbench

_OPTION = re.compile(r",(?=[a-z_][a-z0-9_]*=)")  # other commas belong to an address or a folder's name
S = TypeVar("S", bound="ModelSettings")


class ModelSettings(StrictModel):
    """The options of a family: one field per option, with a description; unknown options are refused."""


class ModelName(NamedTuple):
    """The parts of a model string; `str` gives the string back."""

    family: str
    argument: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ",".join([self.head, *(f"{key}={value}" for key, value in self.options)])

    @property
    def head(self) -> str:
        """The string without its options, for messages: one of the options may be a secret key."""
        return f"{self.family}:{self.argument}" if self.argument else self.family

    def settings(self, kind: type[S]) -> S:
        """The options as the settings of a family. Raises UserError that lists the valid options if one is wrong."""
        try:
            return kind.model_validate(dict(self.options))
        except ValidationError as error:
            known = "; ".join(f"{key}: {field.description}" for key, field in kind.model_fields.items())
            raise UserError(f"Model {self.head!r}: {describe(error)} Options: {known or 'none'}.") from None

    def refuse_options(self) -> None:
        """Raise a UserError if there are options, for families without any."""
        self.settings(ModelSettings)


def parse_model(text: str) -> ModelName:
    """Split a model string; only the first colon separates, so an argument may be a URL."""
    head, *options = _OPTION.split(text)
    family, colon, argument = head.partition(":")
    if colon and not argument:
        raise UserError(
            f"Model {text!r}: there is nothing after the colon. Leave the colon out, or name what it needs."
        )
    pairs = tuple((key, value) for key, _, value in (option.partition("=") for option in options))
    repeated = {key for key, _ in pairs if [k for k, _ in pairs].count(key) > 1}
    if repeated:
        raise UserError(f"Model {head!r}: the option {min(repeated)!r} is given twice.")
    return ModelName(family, argument, pairs)


def load_scorer(text: str, bench: Workbench) -> Scorer:
    """The scorer that a model string names."""
    name = parse_model(text)
    return SCORERS.load(name.family)(name, bench)


def check_models(texts: Sequence[str]) -> None:
    """Raise a UserError that lists all wrong model strings, before any work is done."""
    faults = []
    for text in dict.fromkeys(texts):
        try:
            load_scorer(text, Workbench())
        except UserError as error:
            faults.append(str(error))
    refuse_faults(faults)
