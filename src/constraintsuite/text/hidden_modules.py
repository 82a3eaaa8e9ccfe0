"""How to import a library without the heavy optional modules that it would load."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Absent(MetaPathFinder):
    """Makes modules look as if they were not installed."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Refuse the hidden modules and leave all others to the next finder."""
        if fullname in self._names:
            raise ModuleNotFoundError(f"{fullname} is hidden for the moment", name=fullname)
        return None


@contextmanager
def hidden_modules(*names: str) -> Iterator[None]:
    """Import a library without optional modules that it would load if they are installed.

    lemminflect loads spaCy, and spaCy loads torch, for features that are not used here: two seconds in every process.
    A module that was imported before stays visible.
    """
    finder = _Absent(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
