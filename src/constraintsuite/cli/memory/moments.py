"""The time that `--at` names."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(text: str) -> str:
    """`now` is the time of the machine, asked here and nowhere below; all else is left to who reads times."""
    return datetime.now(UTC).isoformat() if text == "now" else text
