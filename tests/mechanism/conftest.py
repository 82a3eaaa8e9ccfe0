from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from mechanism.models import make_tiny
from mechanism.planted import make_planted


@pytest.fixture(scope="session")
def model_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], LoadedModel]:
    """The subject of a kind in `models.TINY`, loaded once; its invariants hold."""

    @cache
    def load(kind: str) -> LoadedModel:
        return load_model(f"cross:{make_tiny(kind, tmp_path_factory.mktemp(kind))},threads=1")

    return load


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """The planted model without noise."""
    return load_model(f"cross:{make_planted(tmp_path_factory.mktemp('planted'))},threads=1")
