"""One address on the network that is asked with JSON, and answers with JSON."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.http.client import HttpClient
from constraintsuite.core.store.http.errors import (
    BadAnswer,
    LastingFault,
    PassingFault,
    RefusalError,
    TooLarge,
    message_of,
    seconds_to_wait,
    shown,
)
from constraintsuite.core.store.http.messages import HttpRequest, Incoming, Limits
from constraintsuite.core.store.http.secrets import NO_LOGIN, Authorization

MAX_ERROR_BYTES = 64 << 10
"""Of an error page; the rest is not read."""
_MAY_PASS = {408, 429, 500, 502, 503, 504}
_KEY = " Set key_env=NAME to the environment variable that holds the API key."
_REFUSED_KEY = (
    " The key or password that was sent is refused: is the environment variable that holds it set to the right one?"
)
_HINTS = {
    **dict.fromkeys(range(300, 400), " It redirects to another address: give that one."),
    401: _KEY,
    403: _KEY,
    404: " Is this the whole address of the endpoint?",
    413: " Send fewer texts at a time (batch=N, or window=N for listwise); if one text is too long, try truncate=yes.",
    422: " Say which wire format it is (format=NAME), or send fewer texts at a time (batch=N).",
}


class Endpoint:
    """Takes requests from several threads; each keeps its own connection open."""

    def __init__(
        self,
        url: str,
        authorization: Authorization = NO_LOGIN,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        method: Literal["GET", "POST"] = "POST",
        content_type: str = "application/json",
    ) -> None:
        self.url = url
        self._method = method
        self._authorization = authorization
        self._headers = {"Accept": "application/json", **authorization.headers}
        if method == "POST":
            self._headers["Content-Type"] = content_type
        self._client = HttpClient(limits)

    @property
    def stopped(self) -> threading.Event:
        """Set once nobody waits for answers any more."""
        return self._client.stopped

    def ask(self, body: str = "") -> object:
        """What the server answers, decoded; raises PassingFault, RefusalError or another UserError, or Stopped after `stop`."""
        response = self._send(body.encode() if self._method == "POST" else None)
        text = response.data.decode("utf-8", "replace")
        if 200 <= response.status < 300:
            try:
                answer: object = json.loads(text)
            except (ValueError, RecursionError):
                raise BadAnswer("it is not JSON", text) from None
            return answer
        reason, said = self.shown(response.reason), self.shown(message_of(text))
        if response.status in _MAY_PASS:
            wait = seconds_to_wait(response.retry_after, datetime.now(UTC))
            raise PassingFault(f"{response.status} {reason}".strip(), said, wait)
        words = (said or reason or "no reason given").rstrip(".")
        hint = _HINTS.get(response.status, "")
        if hint == _KEY and self._authorization.token:
            hint = _REFUSED_KEY
        raise RefusalError(response.status, f"{self.url} refused the request ({response.status}): {words}.{hint}")

    def hide(self, text: str) -> str:
        """A text without the key: servers like to repeat one that they refuse, and nothing shown or stored may hold it."""
        return self._authorization.hide(text)

    def shown(self, text: str) -> str:
        """The beginning of a server's text as it may be shown or stored: without the key, on one line."""
        return shown(text, self.hide)

    def stop(self) -> None:
        """End all requests that are in progress."""
        self._client.stop()

    def close(self) -> None:
        """Close the connections that the threads, which have ended, left open."""
        self._client.close()

    def _send(self, body: bytes | None) -> _Response:
        try:
            return self._client.send(HttpRequest(self.url, self._headers, body), _read)
        except LastingFault as fault:
            advice = " Is the address right? If so, ask for less at a time (batch=N)." * isinstance(fault, TooLarge)
            raise UserError(f"{self.url}: {self.hide(str(fault))}{advice}") from None


class _Response(NamedTuple):
    status: int
    reason: str
    retry_after: str | None
    data: bytes


def _read(incoming: Incoming) -> _Response:
    fine = 200 <= incoming.status < 300
    data = b"".join(incoming.pieces()) if fine else incoming.beginning(MAX_ERROR_BYTES)
    return _Response(incoming.status, incoming.reason, incoming.headers.get("Retry-After"), data)
