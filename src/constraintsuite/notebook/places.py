"""What the functions of this folder have in common: how a place is given, and where progress is shown."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.execution.progress import Reporter, Silent, Terminal

FolderPath = str | Path
"""A file or folder."""


def choose_reporter(quiet: bool) -> Reporter:
    """What shows progress: the terminal's stderr, or nothing."""
    return Silent() if quiet else Terminal()
