"""Time as it is told: no function here asks the machine what time it is."""

from __future__ import annotations

from datetime import UTC, datetime

from constraintsuite.errors import UserError


class Clock:
    """A time that stands still until it is moved; as of an earlier time, later events have not happened."""

    def __init__(self, now: str | datetime) -> None:
        self.now = _instant(now)

    def move_to(self, now: str | datetime) -> None:
        """From now on it is `now`, which may also be earlier."""
        self.now = _instant(now)


def parse_time(text: str, where: str = "Time") -> datetime:
    """A date or time in ISO 8601; a date is its first moment, and a time without a zone is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):  # the latter for the edges of the calendar, in another zone
        raise UserError(f"{where} {text!r} is not a date or time in ISO 8601, such as 2024-05-31T12:00:00.") from None


def _instant(time: str | datetime) -> datetime:
    return parse_time(time if isinstance(time, str) else time.isoformat())
