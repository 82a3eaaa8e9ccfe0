"""One call of a server: how it is sent, and with which login."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlsplit

from constraintsuite.models.http.transport import Endpoint, _Response


@dataclass(frozen=True)
class Login:
    """What a server is told to let us in: a scheme, and what it takes; empty where none is needed."""

    scheme: str = ""
    token: str = ""
    password: str = ""

    @classmethod
    def basic(cls, login: str) -> Login:
        """Of USER:PASSWORD."""
        return cls("Basic", base64.b64encode(login.encode()).decode(), login.partition(":")[2])


class Address(Endpoint):
    """One call of the server: a GET where nothing is sent."""

    content_type = "application/json"

    def __init__(self, url: str, login: Login, timeout_seconds: float) -> None:
        super().__init__(url, login.token, timeout_seconds)
        self._login = login

    def hide(self, text: str) -> str:
        """Without the token, and without the password in it."""
        hidden = super().hide(text)
        return hidden.replace(self._login.password, "[password]") if self._login.password else hidden

    def _send(self, connection: HTTPConnection, body: bytes) -> _Response:
        headers = {"Content-Type": self.content_type, "Accept": "application/json"}
        if self._login.token:
            headers["Authorization"] = f"{self._login.scheme} {self._login.token}"
        method, sent = ("GET", None) if body == b"{}" else ("POST", body)
        connection.request(method, urlsplit(self.url).path, sent, headers)
        response = connection.getresponse()
        return _Response(response.status, response.reason, response.headers.get("Retry-After"), response.read())


class LinesAddress(Address):
    """A call that takes lines of JSON."""

    content_type = "application/x-ndjson"

    def post(self, body: str) -> object:
        """The answer to `{"lines": […]}`."""
        return super().post("".join(json.dumps(line) + "\n" for line in json.loads(body)["lines"]))
