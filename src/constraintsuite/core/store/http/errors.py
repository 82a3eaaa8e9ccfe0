"""Errors of requests: transient ones, after which a retry may succeed, and permanent ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import clip

_SEARCHED = 4_096
"""Characters of a text that are searched for keys; more than are ever shown."""
RETRIED_STATUSES = {408, 429, 500, 502, 503, 504}


class TransientError(Exception):
    """The same request may succeed later. `kind` is for counting, `wait` the seconds to wait that the server asks for."""

    def __init__(self, kind: str, message: str, wait: float | None = None) -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind, self.wait = kind, wait

    def describe(self, hide: Callable[[str], str]) -> str:
        """The message on one line; `hide` removes secrets from the server's words."""
        return shown(str(self), hide)


class BadAnswerError(TransientError):
    """The server answered, but the answer cannot be used; `{found}` in the message stands for a value of the answer."""

    def __init__(self, message: str, answer: object, found: object = None) -> None:
        super().__init__("unusable answer", message)
        self.answer, self.found = answer, found

    def describe(self, hide: Callable[[str], str]) -> str:
        """The message with the beginning of the answer."""
        text = self.answer if isinstance(self.answer, str) else json.dumps(self.answer, ensure_ascii=False)
        found = hide(repr(self.found)[:_SEARCHED])[:40]
        return f"{str(self).replace('{found}', found)}; it was {shown(text, hide)}"


class PermanentError(Exception):
    """A retry would not help; the message says what is wrong and, if known, what to do."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message}. {advice}".rstrip())


class TooLargeError(PermanentError):
    """The answer has more bytes than the limit."""


class RefusalError(UserError):
    """The server refuses the request, and would refuse it again."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[type[RefusalError], tuple[int, str]]:
        """Pickle both arguments; the default would pass the message only."""
        return type(self), (self.status, str(self))


class Stopped(Exception):  # noqa: N818 - no fault of the request
    """The command was interrupted, and the request with it."""


def shown(text: str, hide: Callable[[str], str]) -> str:
    """The beginning of a server's text without secrets, on one line."""
    return clip(hide(text[:_SEARCHED]))


def message_of(text: str) -> str:
    """The message of an error page: from the usual fields of a JSON answer, else the full text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    while isinstance(found, Mapping):
        found = next((found[key] for key in ("message", "error", "reason", "detail", "msg") if found.get(key)), None)
    return found if isinstance(found, str) else text


def seconds_to_wait(header: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or a date; None if it says neither.

    A number of hundreds of digits gives infinity, which no caller waits for.
    """
    if header is None:
        return None
    if re.fullmatch(r"\s*\d+(\.\d*)?\s*", header, re.ASCII):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, OverflowError):  # a year of hundreds of digits does not fit a C integer
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
