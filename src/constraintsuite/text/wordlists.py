"""Word lists from the YAML files in `text/data`, validated by a pydantic model."""

from __future__ import annotations

from importlib import resources
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator

from constraintsuite.core.store.yaml_files import read_package_yaml

Model = TypeVar("Model", bound=BaseModel)


def _split(value: object) -> object:
    return value.split() if isinstance(value, str) else value


WordSet = Annotated[frozenset[str], BeforeValidator(_split)]
"""Words, written in YAML as one string with spaces: a YAML list would read `no` and `on` as booleans."""


def read_text(name: str) -> str:
    """The text of a file in `text/data`."""
    return resources.files("constraintsuite.text").joinpath("data", name).read_text(encoding="utf-8")


def read_data(name: str, model: type[Model]) -> Model:
    """A file in `text/data` as a `model`; a wrong key or type is an error."""
    return model.model_validate(read_package_yaml("constraintsuite.text", "data", name))
