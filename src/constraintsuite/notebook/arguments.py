"""What the functions of this folder take: places, recipes, and whether progress is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter, Silent, Terminal
from constraintsuite.suites.recipe import AnalysisSettings, Recipe, SizeSettings

FolderPath = str | Path
"""A file or folder."""


def choose_reporter(quiet: bool) -> Reporter:
    """What shows progress: the terminal's stderr, or nothing."""
    return Silent() if quiet else Terminal()


AnalyserName = Literal["auto", "rules", "parser"]
_SUFFIXES = (".yaml", ".yml")


def choose_recipe(source: Recipe | FolderPath, analyser: AnalyserName, seed: int, size: int | None = None) -> Recipe:
    """A recipe as it is, that of a .yaml file, or one of defaults for a corpus; settings go with a corpus only."""
    if not isinstance(source, Recipe) and Path(source).suffix not in _SUFFIXES:
        return Recipe(
            corpus=SourceSettings(source=str(source)),
            analysis=AnalysisSettings(analyser=analyser),
            sizes=SizeSettings() if size is None else SizeSettings(main=size),
            seed=seed,
        )
    if size is not None or analyser != "auto" or seed:
        raise UserError("size, analyser, seed: give these in the recipe, not beside it.")
    return source if isinstance(source, Recipe) else Recipe.read(Path(source))
