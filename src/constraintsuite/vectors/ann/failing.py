"""What is kept of a measurement that failed."""

from __future__ import annotations

import traceback

from constraintsuite.errors import UserError

_LAST_LINES = 6  # of a traceback


class MeasurementError(Exception):
    """A measurement that means nothing; its text says why."""


def told(error: Exception) -> str:
    """The text of an error that was made for people; of any other, also where it happened."""
    if isinstance(error, UserError | MeasurementError):
        return str(error)
    lines = traceback.format_exception(error)[-_LAST_LINES:]
    return f"{type(error).__name__}: {error}\n{''.join(lines)}"
