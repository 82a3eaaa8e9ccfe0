"""Data files that lie beside the modules of `build`, each read into a checked model."""

from __future__ import annotations

from importlib import resources
from typing import TypeVar

import yaml
from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)


def read_beside(package: str, name: str, model: type[Model]) -> Model:
    """The YAML file `name` of a package as a `model`; a wrong key or type is an error."""
    file = resources.files(package).joinpath(name)
    return model.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
