"""A suite small enough to be built in a few seconds, once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.recipe import AnalysisSettings, Recipe, SizeSettings


@pytest.fixture(scope="session")
def small_recipe() -> Recipe:
    """For 80 documents of the sample, of which exclusions are built."""
    return Recipe(
        corpus=SourceSettings(source="sample", limit=80),
        constraints=("exclude",),
        analysis=AnalysisSettings(analyser="rules"),
        sizes=SizeSettings(main=60, nonflip=20, adversarial=10, gold=10),
    )


@pytest.fixture(scope="session")
def small_suite(small_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of that recipe; read it, do not change it."""
    folder = tmp_path_factory.mktemp("small") / "suite"
    build_suite(small_recipe, folder, reporter=Silent())
    return folder
