"""ConstraintSuite: does a retrieval system do what it was asked?

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from constraintsuite.notebook.calls import (
        build,
        compare,
        evaluate,
        import_suite,
        load_run,
        load_suite,
        models,
        report,
    )
    from constraintsuite.notebook.run import Run
    from constraintsuite.notebook.suite import Suite
else:  # a type checker would take it that every name is there

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'constraintsuite' has no attribute {name!r}")
        return _load(name)


__version__ = "0.1.0"
__all__ = [
    "Run",
    "Suite",
    "build",
    "compare",
    "evaluate",
    "import_suite",
    "load_run",
    "load_suite",
    "models",
    "report",
]
_CLASSES = {"Run": "run", "Suite": "suite"}  # by the file they are in; the others are functions


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


class _Folder(ModuleType):
    """A folder whose name is a function's, too, as in `constraintsuite.evaluate(...)`: it can be called as that."""

    def __call__(self, *arguments: object, **options: object) -> object:
        return _load(self.__name__.rpartition(".")[2])(*arguments, **options)


class _Package(ModuleType):
    """Importing `constraintsuite.experiments` binds the folder to that name, and would hide the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            value.__class__ = _Folder
        super().__setattr__(name, value)


def _load(name: str) -> Callable[..., object]:
    found: Callable[..., object] = getattr(
        import_module(f"constraintsuite.notebook.{_CLASSES.get(name, 'calls')}"), name
    )
    return found


sys.modules[__name__].__class__ = _Package
