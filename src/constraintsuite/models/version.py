"""The version of our own code, as far as a result depends on it."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from constraintsuite.store.files import sha256_text

ARRAYS = ("models", "store/cache.py")
"""What makes and keeps the arrays of local models: a report may be edited, and they stay."""


@cache
def source_hash(places: tuple[str, ...], root: Path | None = None) -> str:
    """Hash of the Python files at these places, which are files or folders below the package's root."""
    top = root or Path(str(resources.files("constraintsuite")))
    found = [
        file for place in places for file in ([top / place] if (top / place).is_file() else (top / place).rglob("*.py"))
    ]
    files = {file.relative_to(top).as_posix(): file for file in found}
    return sha256_text(*(f"{name}\n{files[name].read_text(encoding='utf-8')}" for name in sorted(files)))
