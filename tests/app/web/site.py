"""The site over a folder, with one person of each role, as they meet it: without a network, through all that guards it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpx2 import Response
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Scope

from constraintsuite.app.web.access import GUARD, AccessTokens, Person
from constraintsuite.app.web.artifact_index import ArtifactIndex
from constraintsuite.app.web.server import make_app

HOST = "127.0.0.1"
OWNER = Person("olga", "owner")
ANNA = Person("anna", "annotator")
BEN = Person("ben", "annotator")
JUDGE = Person("judith", "adjudicator")
PEOPLE = (OWNER, ANNA, BEN, JUDGE)
KEY = b"for tests only: 32 bytes of key."


@dataclass(frozen=True)
class Visitor:
    """Someone with a browser; redirects are not followed, so that a test sees them."""

    person: Person
    client: TestClient
    guard: str

    def get(self, path: str, status: int = 200) -> Response:
        """A page, which must have this status."""
        return _checked(self.client.get(path), status)

    def page(self, path: str) -> str:
        """The text of a page that is there."""
        return self.get(path).text

    def main(self, path: str) -> str:
        """What stands below the header, which is the same on all pages."""
        return self.page(path).partition("</header>")[2]

    def post(self, path: str, fields: Mapping[str, str | Sequence[str]] | None = None, status: int = 303) -> Response:
        """Send a form as the site's own pages do."""
        return _checked(self.client.post(path, data={GUARD: self.guard, **_lists(fields or {})}), status)


@dataclass(frozen=True)
class OpenSite:
    """A served folder."""

    shelf: ArtifactIndex
    door: AccessTokens
    app: ASGIApp

    def visit(self, person: Person = OWNER) -> Visitor:
        """As this person, who has followed their link."""
        client = self.stranger()
        client.cookies.set(self.door.cookie, self.door.token(person))
        return Visitor(person, client, self.door.guard(person))

    def stranger(self) -> TestClient:
        """Someone without a link."""
        return TestClient(self.app, base_url=f"http://{HOST}", follow_redirects=False)


def open_site(folder: Path, people: Sequence[Person] = PEOPLE, *, read_only: bool = False) -> OpenSite:
    """The whole site over a folder."""
    shelf, door = ArtifactIndex(folder), AccessTokens(KEY, people)
    return OpenSite(shelf, door, make_app(shelf, door, (HOST, "localhost"), read_only=read_only))


def ask(
    site: OpenSite, path: str, query: str = "", *, method: str = "GET", parts: Iterable[bytes] = ()
) -> tuple[int, bytes]:
    """What the owner is answered at a path exactly as it is (a client would tidy it), to a body in parts without a length."""
    messages: list[Message] = []
    cookie = f"{site.door.cookie}={site.door.token(OWNER)}"
    scope: Scope = {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", HOST.encode()), (b"cookie", cookie.encode())],
        "server": (HOST, 80),
        "client": (HOST, 1),
    }
    sent = iter(parts)

    async def receive() -> Message:
        part = next(sent, None)
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    async def send(message: Message) -> None:
        messages.append(message)

    async def answer() -> None:
        await site.app(scope, receive, send)

    asyncio.run(answer())
    return messages[0]["status"], b"".join(message.get("body", b"") for message in messages)


def _checked(answer: Response, status: int) -> Response:
    assert answer.status_code == status, f"{answer.request.url}: {answer.status_code}\n{answer.text[:2000]}"
    return answer


def _lists(fields: Mapping[str, str | Sequence[str]]) -> dict[str, str | list[str]]:
    return {name: value if isinstance(value, str) else list(value) for name, value in fields.items()}
