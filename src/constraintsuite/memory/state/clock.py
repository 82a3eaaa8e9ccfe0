"""Time as it is told: no function here asks the machine what time it is."""

from __future__ import annotations

from datetime import datetime

from constraintsuite.memory.times import parse_time

__all__ = ["Clock", "parse_time"]


class Clock:
    """A time that stands still until it is moved; as of an earlier time, later events have not happened."""

    def __init__(self, now: str | datetime) -> None:
        self.now = _instant(now)

    def move_to(self, now: str | datetime) -> None:
        """From now on it is `now`, which may also be earlier."""
        self.now = _instant(now)


def _instant(time: str | datetime) -> datetime:
    return parse_time(time if isinstance(time, str) else time.isoformat())
