"""Data files that lie beside the modules of `build`, each read into a checked model."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from constraintsuite.store.yaml_files import read_package_yaml

Model = TypeVar("Model", bound=BaseModel)


def read_beside(package: str, name: str, model: type[Model]) -> Model:
    """The YAML file `name` of a package as a `model`; a wrong key or type is an error."""
    return model.model_validate(read_package_yaml(package, name))
