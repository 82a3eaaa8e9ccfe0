"""The type of word lists in YAML files, and the text of files in `text/data`."""

from __future__ import annotations

from importlib import resources
from typing import Annotated

from pydantic import BeforeValidator


def _split(value: object) -> object:
    return value.split() if isinstance(value, str) else value


WordSet = Annotated[frozenset[str], BeforeValidator(_split)]
"""Words, written in YAML as one string with spaces: a YAML list would read `no` and `on` as booleans."""


def read_text(name: str) -> str:
    """The text of a file in `text/data`."""
    return resources.files("constraintsuite.text").joinpath("data", name).read_text(encoding="utf-8")
