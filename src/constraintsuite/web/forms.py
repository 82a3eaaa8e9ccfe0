"""What a form says, read with care: anyone may send anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraintsuite.annotate.records import AnnotationEvent
from constraintsuite.errors import UserError

NEVER = -1
"""No event has this number: who knew of it is found to be stale."""
_DIGITS = 18
"""More than any number has that is asked for; Python refuses to read thousands of them."""


def only(form: Mapping[str, tuple[str, ...]], name: str) -> str:
    """The first value of a field; empty where there is none."""
    return next(iter(form.get(name, ())), "")


def read_number(text: str) -> int:
    """What a form says it knew of; what is no number was never known."""
    return int(text) if _is_number(text) else NEVER


def read_whole(text: str, name: str, least: int, most: int) -> int:
    """A number that a person typed."""
    found = text.strip()
    if not (_is_number(found) and least <= int(found) <= most):
        raise UserError(f"{name}: {text[:40]!r} is not a whole number from {least:,} to {most:,}.")
    return int(found)


def place_of(number: int, own: Sequence[AnnotationEvent]) -> int:
    """Which of a person's own events has a number, from 1; 0 for none.

    This is what a form holds: numbers go over everyone's events, and would tell how much others answer.
    """
    return next((place for place, event in enumerate(own, 1) if event.number == number), number if number < 0 else 0)


def read_place(text: str, own: Sequence[AnnotationEvent]) -> int:
    """The number of the event that a form says was known; events are only ever added, so a place stays true."""
    place = read_number(text)
    if place == 0:
        return 0
    return own[place - 1].number if 0 < place <= len(own) else NEVER


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
