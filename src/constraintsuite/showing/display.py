"""A folder as it is shown: what stands above, and the sections below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.reports.page import Masthead
from constraintsuite.reports.sections.base import Section


@dataclass(frozen=True)
class Display:
    """All that a page of one folder needs."""

    head: Masthead
    sections: tuple[Section, ...]


Show = Callable[[Path], Display]
"""Reads a folder of one kind; one that is damaged or not finished is a UserError."""
