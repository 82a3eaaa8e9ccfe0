"""Structured cases by name or by file, on their ground."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constraintsuite.memory.cases.grounding import Grounded


def open_datasets(names: Sequence[str], *, lenient: bool = False) -> list[Grounded]:
    """Bundled datasets by name, others by file; without any, all that are bundled."""
    from constraintsuite.memory.cases.bundled import FIXTURES, fixture_path
    from constraintsuite.memory.cases.grounding import ground
    from constraintsuite.memory.cases.reading import read_cases

    chosen = names or FIXTURES
    paths = [
        Path(name) if "." in name or "/" in name or Path(name).is_file() else fixture_path(name) for name in chosen
    ]
    return [ground(read_cases(path, lenient=lenient)) for path in dict.fromkeys(paths)]
