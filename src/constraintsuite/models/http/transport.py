"""One address on the network, asked with JSON; faults that may pass are told apart from those that will not."""

from __future__ import annotations

import json
import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead, RemoteDisconnected
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from constraintsuite.errors import UserError

_MAY_PASS = {408, 429, 500, 502, 503, 504}
_LOST = (RemoteDisconnected, ConnectionResetError, BrokenPipeError, IncompleteRead)
_SHOWN = 300
_HINTS = {
    401: " Set key_env=NAME to the environment variable that holds the API key.",
    403: " Set key_env=NAME to the environment variable that holds the API key.",
    404: " Is this the whole address of the endpoint?",
    413: " Send fewer texts at a time (batch=N, or window=N for listwise); if one text is too long, try truncate=yes.",
    422: " Say which wire format it is (format=NAME), or send fewer texts at a time (batch=N).",
}


class PassingFault(Exception):  # noqa: N818 - answered by asking again
    """The same request may succeed later. `kind` is what it is counted under, `wait` what the server asks for, in seconds."""

    def __init__(self, kind: str, said: str, wait: float | None = None) -> None:
        super().__init__(f"{kind}: {said}" if said else kind)
        self.kind, self.wait = kind, wait

    def told(self, hide: Callable[[str], str]) -> str:
        """The fault in words; `hide` takes out of the server's own what nobody may see."""
        return clip(hide(str(self)))


class BadAnswer(PassingFault):
    """The server answered, but not with what was asked for; `{found}` in what is said stands for a value of the answer."""

    def __init__(self, said: str, shown: object, found: object = None) -> None:
        super().__init__("unusable answer", said)
        self.shown, self.found = shown, found

    def told(self, hide: Callable[[str], str]) -> str:
        """With the beginning of the answer; that is cut after hiding, since half a key is too much, too."""
        text = self.shown if isinstance(self.shown, str) else json.dumps(self.shown, ensure_ascii=False)
        return f"{str(self).replace('{found}', hide(repr(self.found))[:40])}; it was {clip(hide(text))}"


class RefusalError(UserError):
    """The server will not have this request, now or later."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Stopped(Exception):  # noqa: N818 - nobody waits for the answer any more
    """The command was interrupted."""


@dataclass(frozen=True)
class Authorization:
    """What a server is told to let us in: a scheme, and what it takes; no token where none is needed."""

    scheme: str = "Bearer"
    token: str = ""
    secrets: tuple[str, ...] = ()
    """What else nobody may see: that of which the token was made."""

    @property
    def headers(self) -> dict[str, str]:
        """As it is sent."""
        return {"Authorization": f"{self.scheme} {self.token}"} if self.token else {}


NO_LOGIN = Authorization()


class _Response(NamedTuple):
    status: int
    reason: str
    retry_after: str | None
    data: bytes


class Endpoint:
    """Takes requests from several threads; each keeps its own connection open."""

    def __init__(
        self,
        url: str,
        authorization: Authorization = NO_LOGIN,
        timeout_seconds: float = 60,
        *,
        method: Literal["GET", "POST"] = "POST",
        content_type: str = "application/json",
    ) -> None:
        self.url = url
        self.stopped = threading.Event()
        self._method = method
        self._headers = {"Accept": "application/json", **authorization.headers}
        if method == "POST":
            self._headers["Content-Type"] = content_type
        self._secrets = [_spellings(secret) for secret in (authorization.token, *authorization.secrets) if secret]
        self._timeout = timeout_seconds
        self._mine = threading.local()
        self._connections: list[HTTPConnection] = []

    def ask(self, body: str = "") -> object:
        """What the server answers, decoded; raises PassingFault, RefusalError, or Stopped after `stop`."""
        response = self._exchange(body.encode())
        text = response.data.decode("utf-8", "replace")
        reason = clip(self.hide(response.reason))
        if response.status in _MAY_PASS:
            wait = seconds_to_wait(response.retry_after, datetime.now(UTC))
            raise PassingFault(f"{response.status} {reason}".strip(), clip(self.hide(message_of(text))), wait)
        if not 200 <= response.status < 300:
            said = clip(self.hide(message_of(text))) or reason or "no reason given"
            raise RefusalError(
                response.status,
                f"{self.url} refused the request ({response.status}): {said.rstrip('.')}.{_HINTS.get(response.status, '')}",
            )
        try:
            answer: object = json.loads(text)
        except (ValueError, RecursionError):
            raise BadAnswer("it is not JSON", text) from None
        return answer

    def hide(self, text: str) -> str:
        """A text without the key: servers like to repeat one that they refuse, and nothing shown or stored may hold it."""
        for secret in self._secrets:
            text = secret.sub("[key]", text)
        return text

    def stop(self) -> None:
        """End all requests that are under way."""
        self.stopped.set()
        for connection in self._connections:
            with suppress(OSError):
                if connection.sock is not None:
                    connection.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it

    def close(self) -> None:
        """Close what the threads, which are gone, left open."""
        while self._connections:
            self._connections.pop().close()

    def _exchange(self, body: bytes) -> _Response:
        connection = self._connection()
        for _ in range(2):
            reused = connection.sock is not None
            try:
                if self.stopped.is_set():
                    raise Stopped
                return self._send(connection, body)
            except _LOST as error:
                connection.close()
                if not reused:  # servers close connections that idle: only a fresh one says something
                    raise self._passing("connection lost", error) from None
            except TimeoutError:
                connection.close()
                raise self._passing("timeout", f"no answer within {self._timeout:g} s") from None
            except ssl.SSLCertVerificationError as error:
                reason = f"its certificate is not trusted ({error.verify_message})"
                raise UserError(f"{self.url}: {reason}. Name your own authority with SSL_CERT_FILE=FILE.") from None
            except socket.gaierror as error:
                if error.errno == socket.EAI_NONAME:
                    raise UserError(f"{self.url}: no host of that name is known here.") from None
                raise self._passing("no connection", error) from None
            except (OSError, HTTPException) as error:
                connection.close()
                raise self._passing("no connection", error) from None
        raise self._passing("connection lost", "twice in a row")

    def _send(self, connection: HTTPConnection, body: bytes) -> _Response:
        parts = urlsplit(self.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(self._method, target, body if self._method == "POST" else None, self._headers)
        response = connection.getresponse()
        return _Response(response.status, response.reason, response.headers.get("Retry-After"), response.read())

    def _connection(self) -> HTTPConnection:
        found: HTTPConnection | None = getattr(self._mine, "connection", None)
        if found is None:
            parts = urlsplit(self.url)
            assert parts.hostname is not None
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            found = self._mine.connection = kind(parts.hostname, parts.port, timeout=self._timeout)
            self._connections.append(found)
        return found

    def _passing(self, kind: str, said: object) -> Exception:
        return Stopped() if self.stopped.is_set() else PassingFault(kind, clip(self.hide(str(said))))


def _spellings(key: str) -> re.Pattern[str]:
    """Finds a key, also where JSON or Python escaped some of its characters."""
    return re.compile("".join(rf"(?:\\?{re.escape(one)}|\\u(?i:{ord(one):04x}))" for one in key))


def message_of(text: str) -> str:
    """What an error page says: the usual fields of a JSON answer, else all of it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    while isinstance(found, Mapping):
        found = next((found[key] for key in ("message", "error", "reason", "detail", "msg") if found.get(key)), None)
    return found if isinstance(found, str) else text


def clip(text: str) -> str:
    """The beginning of a text on one line, without characters that a terminal would obey."""
    line = " ".join(text[: _SHOWN + 1].split())
    shown = "".join(character if character.isprintable() else "�" for character in line)
    return shown if len(text) <= _SHOWN else f"{shown[:_SHOWN]}…"


def seconds_to_wait(header: str | None, now: datetime) -> float | None:
    """What a Retry-After header asks for, given in seconds or as a date; None where it says nothing."""
    if header is None:
        return None
    if re.fullmatch(r"\s*\d+(\.\d*)?\s*", header, re.ASCII):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
