"""Dates and times as they are written, and the moments that they stand for."""

from __future__ import annotations

from datetime import UTC, datetime

from constraintsuite.errors import UserError


def parse_time(text: str, where: str = "Time") -> datetime:
    """A date or time in ISO 8601; a date is its first moment, and a time without a zone is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):  # the latter for the edges of the calendar, in another zone
        raise UserError(f"{where} {text!r} is not a date or time in ISO 8601, such as 2024-05-31T12:00:00.") from None
