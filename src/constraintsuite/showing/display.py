"""A folder as it is shown: what stands above, and the sections below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.records.sections import Section
from constraintsuite.reports.page import Masthead


@dataclass(frozen=True)
class Display:
    """All that a page of one folder needs."""

    head: Masthead
    sections: tuple[Section, ...]


Show = Callable[[Path], Display]
"""Reads a folder of one kind; one that is damaged or not finished is a UserError."""


def refusing_others(show: Show) -> Show:
    """The same; a folder that lacks what this version writes is told, not stumbled over."""

    @wraps(show)
    def read(path: Path) -> Display:
        try:
            return show(path)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise UserError(
                f"{path}: it lacks something that is shown ({type(error).__name__}: {error}). Was it edited, or written by another "
                "version?"
            ) from error

    return read
