"""Sign-in by personal links, and the checks that every request passes before it reaches a page."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from constraintsuite.app.web.forms import first_value
from constraintsuite.app.web.renderer import render, render_fault
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import check_name

PersonRole = Literal["owner", "annotator", "adjudicator"]
"""An owner sees everything. An annotator sees only their own queue, since labels and scores would influence them. An
adjudicator sees what people differ on, without names."""
_KEY_BYTES = 32
_REMOVE = "Delete it; the site then makes new links."


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who can sign in."""

    name: str
    role: PersonRole


class AccessTokens:
    """Makes and checks the tokens of people. The same key gives the same tokens, so links survive a restart."""

    def __init__(self, key: bytes, people: Sequence[Person]) -> None:
        names = [check_name(person.name) for person in people]
        for name in names:
            if names.count(name) > 1:
                raise UserError(
                    f"{name!r} is named twice. Give each person one role, so that nobody rules on their own answers."
                )
        self._key = key
        self.people = tuple(people)

    def token(self, person: Person) -> str:
        """The secret in a person's link and cookie."""
        return self._sign("token", person)

    def guard(self, person: Person) -> str:
        """The secret in every form of a person, which no other site can know."""
        return self._sign("guard", person)

    @cached_property
    def cookie(self) -> str:
        """The name of the cookie. It depends on the key, since browsers share cookies between the ports of a machine."""
        return f"csuite-{hmac.digest(self._key, b'cookie', hashlib.sha256).hex()[:12]}"

    def person_of(self, token: str) -> Person | None:
        """The person of a token, found in constant time per comparison; None if it is not valid."""
        given = token.encode()
        return next((one for one in self.people if hmac.compare_digest(self.token(one).encode(), given)), None)

    def _sign(self, use: str, person: Person) -> str:
        message = "\0".join((use, person.role, person.name)).encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, message, hashlib.sha256)).decode().rstrip("=")


def load_key(folder: Path) -> bytes:
    """The key of a folder. The first call makes it, readable only by the user; if it cannot be stored, it lasts until a restart.

    It is kept in the user's state folder, never in the served folder: whoever gets a copy of that would know all links.
    """
    file = key_file(folder)
    fresh = secrets.token_bytes(_KEY_BYTES)
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(fresh)
        os.link(temporary, file)  # complete or not at all, and never over an existing key
    except FileExistsError:
        return _read_key(file)
    except OSError:
        return _read_key(file) if os.path.lexists(file) else fresh
    finally:
        with suppress(OSError):
            temporary.unlink()
    return fresh


def key_file(folder: Path) -> Path:
    """The file of the key of a folder; it depends on the path of the folder."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
    return state / "constraintsuite" / "serve" / f"{place[:32]}.key"


def _read_key(file: Path) -> bytes:
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
            kept, known = stream.read(_KEY_BYTES + 1), os.fstat(stream.fileno())
    except OSError as error:
        raise UserError(f"{file}: the key cannot be read ({error.strerror}). {_REMOVE}") from None
    if len(kept) != _KEY_BYTES:
        raise UserError(f"{file}: this is not a key. {_REMOVE}")
    if known.st_mode & 0o077 or known.st_uid != os.getuid():
        raise UserError(f"{file}: others can read this key, or it is not yours. {_REMOVE}")
    return kept


ENTER, LEAVE = "/enter", "/leave"
TOKEN = "token"
_MONTH = 30 * 24 * 3600


def enter(request: Request, tokens: AccessTokens) -> Response:
    """Turn the token of a link into a cookie. Someone who is signed in as another person is asked first."""
    confirmed = request.method == "POST"
    token = first_value(request.state.form, TOKEN) if confirmed else request.query_params.get(TOKEN, "")
    person, now = tokens.person_of(token), request.state.person
    if person is None:
        return render_fault(request, 401, "This link is not valid here. Ask the owner of the site for a new one.")
    if not confirmed and now is not None and now != person:
        return render(request, "enter.html.jinja", title=f"Continue as {person.name}?", other=person, token=token)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(tokens.cookie, token, httponly=True, samesite="lax", path="/", max_age=_MONTH)
    return answer


def leave(tokens: AccessTokens) -> Response:
    """Sign this browser out."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(tokens.cookie, httponly=True, samesite="lax", path="/")
    return answer


GUARD = "guard"
"""The form field and the header that carry a person's guard."""
LARGEST = 1_000_000
"""Bytes that the body of a request may have."""
_OPEN = "/static/"
"""Addresses below this one need no token."""
_LONGEST_LENGTH = 20
"""Longer values of Content-Length are not parsed."""
_FOREIGN = (
    "The request does not come from a page of this site, or from the page of another person: nothing was changed."
)
_CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with "no-referrer", browsers send forms without their origin
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class AccessGuard:
    """Middleware that sets `state.person` and `state.form` and passes a request on, or answers it itself."""

    def __init__(self, app: ASGIApp, tokens: AccessTokens, hosts: Sequence[str], *, read_only: bool = False) -> None:
        self._app, self._tokens, self._read_only = app, tokens, read_only
        self._hosts = frozenset(map(str.casefold, hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)  # the page of a report has a policy of its own
                headers.setdefault("cache-control", "no-store")
            await send(message)

        answer = await self._answer(scope, receive)
        await (answer or self._app)(scope, receive, with_headers)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """The answer to a request that no page may handle; None to pass it on."""
        request = Request(scope, receive)
        path, state = scope["path"], scope.setdefault("state", {})
        state.update(person=None, people=self._tokens.people, form={}, guard="", read_only=self._read_only)
        if _name_of(request.headers.get("host", "")) not in self._hosts:
            return render_fault(
                request, 421, "This site does not answer under that host name. Open the link exactly as you got it."
            )
        person = self._tokens.person_of(request.cookies.get(self._tokens.cookie, ""))
        if person is not None:
            state.update(person=person, guard=self._tokens.guard(person))
        if path.startswith(_OPEN):
            return None
        changes = request.method in _CHANGES
        if path == ENTER and not changes:
            return enter(request, self._tokens)
        if person is None:
            return render_fault(request, 401, "Open your personal link to sign in.")
        return await self._change(request, path) if changes else None

    async def _change(self, request: Request, path: str) -> Response | None:
        """Refuse a change that is not allowed, sign in or out, or put the form into the state and return None."""
        if self._read_only and path not in (ENTER, LEAVE):
            return render_fault(request, 403, "This site is read-only: nothing was changed.")
        body = await _body(request)
        if body is None:
            return render_fault(request, 413, f"The request is larger than {LARGEST:,} bytes: nothing was changed.")
        try:
            request.state.form = _form(body)
        except ValueError:
            return render_fault(request, 400, "The form could not be read: nothing was changed.")
        if not _is_own(request.headers, request.state.form, request.state.guard):
            return render_fault(request, 403, _FOREIGN)
        if request.method == "POST" and path == ENTER:
            return enter(request, self._tokens)
        return leave(self._tokens) if request.method == "POST" and path == LEAVE else None


def _is_own(headers: Headers, form: Mapping[str, Sequence[str]], guard: str) -> bool:
    """Whether a request comes from a page that this site showed to the same person."""
    origin = headers.get("origin")
    if origin is not None and _netloc_of(origin) != headers.get("host", "").casefold():
        return False
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    sent = headers.get(f"x-{GUARD}") or next(iter(form.get(GUARD, ())), "")
    return hmac.compare_digest(sent.encode(), guard.encode())


def _name_of(host: str) -> str:
    """A host name without its port."""
    name, colon, port = host.rpartition(":")
    has_port = bool(colon) and (port.isascii() and port.isdigit()) and (":" not in name or name.endswith("]"))
    return (name if has_port else host).casefold()


def _netloc_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.casefold()
    except ValueError:
        return ""  # not an origin that a browser sends


async def _body(request: Request) -> bytes | None:
    """The body; None as soon as it is too large."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and (len(length) > _LONGEST_LENGTH or int(length) > LARGEST):
        return None
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > LARGEST:
            return None
    return bytes(read)


def _form(body: bytes) -> dict[str, tuple[str, ...]]:
    """The fields of a form; each may have several values."""
    text = body.decode("utf-8")
    found = parse_qs(text, keep_blank_values=True, strict_parsing=bool(body), max_num_fields=1000)
    return {name: tuple(values) for name, values in found.items()}
