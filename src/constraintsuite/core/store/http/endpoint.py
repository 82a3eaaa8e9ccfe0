"""One URL that takes requests and gives answers in JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.http.client import HttpClient
from constraintsuite.core.store.http.errors import (
    RETRIED_STATUSES,
    BadAnswerError,
    PermanentError,
    RefusalError,
    TooLargeError,
    TransientError,
    message_of,
    seconds_to_wait,
    shown,
)
from constraintsuite.core.store.http.messages import HttpResponse, Limits
from constraintsuite.core.store.http.secrets import NO_LOGIN, Authorization

MAX_ERROR_BYTES = 64 << 10
"""The part of an error page that is read."""
_KEY = " Set key_env=NAME to the environment variable that holds the API key."
_REFUSED_KEY = (
    " The key or password that was sent is refused: is the environment variable that holds it set to the right one?"
)
_HINTS = {
    **dict.fromkeys(range(300, 400), " It redirects to another address: give that one."),
    401: _KEY,
    403: _KEY,
    404: " Is this the full address of the endpoint?",
    413: " Send fewer texts at a time (batch=N, or window=N for listwise); if one text is too long, try truncate=yes.",
    422: " Say which wire format it is (format=NAME), or send fewer texts at a time (batch=N).",
}


class Endpoint(HttpClient):
    """A client for one URL; several threads may use it."""

    def __init__(
        self,
        url: str,
        authorization: Authorization = NO_LOGIN,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        content_type: str = "application/json",
    ) -> None:
        super().__init__(limits)
        self.url = url
        self._authorization = authorization
        self._headers = {"Accept": "application/json", **authorization.headers}
        self._content_type = content_type

    def ask(self, body: str = "") -> object:
        """The decoded answer to a POST of `body`, or to a GET if it is empty.

        Raises TransientError, RefusalError or another UserError, or Stopped after `stop`.
        """
        headers = {**self._headers, "Content-Type": self._content_type} if body else self._headers
        try:
            return self.send(self.url, self._read, headers, body.encode() or None)
        except PermanentError as fault:
            advice = " Is the address right? If so, ask for less at a time (batch=N)." * isinstance(
                fault, TooLargeError
            )
            raise UserError(f"{self.url}: {self.hide(str(fault))}{advice}") from None

    def hide(self, text: str) -> str:
        """A text without the key: servers repeat keys that they refuse, and no key may be shown or stored."""
        return self._authorization.hide(text)

    def shown(self, text: str) -> str:
        """The beginning of a server's text on one line and without the key, to be shown or stored."""
        return shown(text, self.hide)

    def _read(self, response: HttpResponse) -> object:
        if 200 <= response.status < 300:
            text = b"".join(response.chunks()).decode("utf-8", "replace")
            try:
                answer: object = json.loads(text)
            except (ValueError, RecursionError):
                raise BadAnswerError("it is not JSON", text) from None
            return answer
        text = response.read_start(MAX_ERROR_BYTES).decode("utf-8", "replace")
        reason, message = self.shown(response.reason), self.shown(message_of(text))
        if response.status in RETRIED_STATUSES:
            wait = seconds_to_wait(response.headers.get("Retry-After"), datetime.now(UTC))
            raise TransientError(f"{response.status} {reason}".strip(), message, wait)
        words = (message or reason or "no reason given").rstrip(".")
        hint = _HINTS.get(response.status, "")
        if hint == _KEY and self._authorization.token:
            hint = _REFUSED_KEY
        raise RefusalError(response.status, f"{self.url} refused the request ({response.status}): {words}.{hint}")
