"""Modules that an import should not find."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """While this lasts, importing one of these is an ImportError; afterwards all is as it was."""
    before = {name: sys.modules[name] for name in names if name in sys.modules}
    for name in names:
        sys.modules[name] = None  # type: ignore[assignment]  # what the import system takes for "not there"
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)
