"""What can go wrong between us and a server: faults that may pass are told apart from those that will not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from constraintsuite.core.errors import UserError

_SHOWN = 300
_SEARCHED = 4_096
"""Characters of a text in which keys are looked for before its beginning is shown: what comes later is not shown."""


class PassingFault(Exception):  # noqa: N818 - answered by a retry
    """The same request may succeed later. `kind` is what it is counted under, `wait` what the server asks for, in seconds."""

    def __init__(self, kind: str, said: str, wait: float | None = None) -> None:
        super().__init__(f"{kind}: {said}" if said else kind)
        self.kind, self.wait = kind, wait

    def told(self, hide: Callable[[str], str]) -> str:
        """The fault in words; `hide` takes secrets out of the server's own words."""
        return shown(str(self), hide)


class BadAnswer(PassingFault):
    """The server answered, but not with what was asked for; `{found}` in what is said stands for a value of the answer."""

    def __init__(self, said: str, answer: object, found: object = None) -> None:
        super().__init__("unusable answer", said)
        self.answer, self.found = answer, found

    def told(self, hide: Callable[[str], str]) -> str:
        """The fault in words, with the beginning of the answer."""
        text = self.answer if isinstance(self.answer, str) else json.dumps(self.answer, ensure_ascii=False)
        found = hide(repr(self.found)[:_SEARCHED])[:40]
        return f"{str(self).replace('{found}', found)}; it was {shown(text, hide)}"


class LastingFault(Exception):  # noqa: N818 - answered by a UserError, of which it is a part
    """A retry would not help: what is wrong, and what can be done about it, where that is known."""

    def __init__(self, said: str, advice: str = "") -> None:
        super().__init__(f"{said}. {advice}".rstrip())


class TooLarge(LastingFault):
    """The answer has more bytes than it may have."""


class RefusalError(UserError):
    """The server will not take this request, now or later."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[type[RefusalError], tuple[int, str]]:
        """Errors travel between processes by their arguments, of which the message is only one."""
        return type(self), (self.status, str(self))


class Stopped(Exception):  # noqa: N818 - nobody waits for the answer any more
    """The command was interrupted: nobody waits for the answer any more."""


def shown(text: str, hide: Callable[[str], str]) -> str:
    """The beginning of a server's text as it may be shown: without secrets, on one line."""
    return clip(hide(text[:_SEARCHED]))


def clip(text: str) -> str:
    """The beginning of a text on one line, without characters that a terminal would obey."""
    line = " ".join(text[: _SHOWN + 1].split())
    printable = "".join(character if character.isprintable() else "�" for character in line)
    return printable if len(text) <= _SHOWN else f"{printable[:_SHOWN]}…"


def message_of(text: str) -> str:
    """What an error page says: the usual fields of a JSON answer, else all of it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    while isinstance(found, Mapping):
        found = next((found[key] for key in ("message", "error", "reason", "detail", "msg") if found.get(key)), None)
    return found if isinstance(found, str) else text


def seconds_to_wait(header: str | None, now: datetime) -> float | None:
    """What a Retry-After header asks for, given in seconds or as a date; None where it says nothing.

    A number of hundreds of digits is infinity, which no caller waits for.
    """
    if header is None:
        return None
    if re.fullmatch(r"\s*\d+(\.\d*)?\s*", header, re.ASCII):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, OverflowError):  # a year of hundreds of digits is no C integer
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
