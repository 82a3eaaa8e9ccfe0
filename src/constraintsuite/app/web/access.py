"""Who may enter, by a token of their own, and what stands between the network and the pages."""

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

from constraintsuite.app.web.forms import only
from constraintsuite.app.web.renderer import render, render_fault
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import check_name

PersonRole = Literal["owner", "annotator", "adjudicator"]
"""An owner sees everything; an annotator only their own queue, since labels and scores would lead them; an adjudicator what
people differ on, without names."""
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who has a link."""

    name: str
    role: PersonRole


class AccessTokens:
    """Knows everyone by their token. The same key gives the same links, so that they outlive a restart."""

    def __init__(self, key: bytes, people: Sequence[Person]) -> None:
        names = [check_name(person.name) for person in people]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UserError(
                f"{twice!r} is named twice: a person has one role, so that nobody rules on their own answers."
            )
        self._key = key
        self.people = tuple(people)

    def token(self, person: Person) -> str:
        """What stands in a person's link, and in their cookie."""
        return self._word("token", person)

    def guard(self, person: Person) -> str:
        """What every form of theirs carries, which no other site can know."""
        return self._word("guard", person)

    @cached_property
    def cookie(self) -> str:
        """Name of the cookie: cookies know no ports, so sites of two folders on one machine need two names."""
        return f"csuite-{hmac.digest(self._key, b'cookie', hashlib.sha256).hex()[:12]}"

    def whose(self, token: str) -> Person | None:
        """The person of a token; how long a comparison takes tells nothing of it."""
        given = token.encode()
        return next((one for one in self.people if hmac.compare_digest(self.token(one).encode(), given)), None)

    def _word(self, use: str, person: Person) -> str:
        said = "\0".join((use, person.role, person.name)).encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, said, hashlib.sha256)).decode().rstrip("=")


def load_key(folder: Path) -> bytes:
    """The key of a folder, made at the first call and readable by its owner alone; without leave to write, one for now.

    It lies with the user's own state, never in the folder: whoever hands on a folder could else know every link of it.
    """
    file = key_file(folder)
    fresh = secrets.token_bytes(_KEY_BYTES)
    aside = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(fresh)
        os.link(aside, file)  # whole or not at all, and never over another
    except FileExistsError:
        return _read_key(file)
    except OSError:
        return _read_key(file) if os.path.lexists(file) else fresh
    finally:
        with suppress(OSError):
            aside.unlink()
    return fresh


def key_file(folder: Path) -> Path:
    """Where the key of a folder lies, by where the folder itself does."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
    return state / "constraintsuite" / "serve" / f"{place[:32]}.key"


def _read_key(file: Path) -> bytes:
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
            kept, known = stream.read(_KEY_BYTES + 1), os.fstat(stream.fileno())
    except OSError as error:
        raise UserError(
            f"{file}: the key cannot be read ({error.strerror}). Remove it, and new links are made."
        ) from None
    if len(kept) != _KEY_BYTES:
        raise UserError(f"{file}: this is no key. Remove it, and new links are made.")
    if known.st_mode & 0o077 or known.st_uid != os.getuid():
        raise UserError(f"{file}: others can read this key, or it is not yours. Remove it, and new links are made.")
    return kept


ENTER, LEAVE = "/enter", "/leave"
TOKEN = "token"
_MONTH = 30 * 24 * 3600


def enter(request: Request, tokens: AccessTokens) -> Response:
    """A link becomes a cookie, and its token leaves the address; who is somebody already is asked first."""
    asked = request.method == "POST"
    token = only(request.state.form, TOKEN) if asked else request.query_params.get(TOKEN, "")
    person, now = tokens.whose(token), request.state.person
    if person is None:
        return render_fault(request, 401, "This link is not valid here. Ask for a new one.")
    if not asked and now is not None and now != person:
        return render(request, "enter.html.jinja", title=f"Go on as {person.name}?", other=person, token=token)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(tokens.cookie, token, httponly=True, samesite="lax", path="/", max_age=_MONTH)
    return answer


def leave(tokens: AccessTokens) -> Response:
    """From now on this browser is nobody."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(tokens.cookie, httponly=True, samesite="lax", path="/")
    return answer


GUARD = "guard"
"""Field of a form, and header of a script's request, that carries the person's guard."""
LARGEST = 1_000_000
"""Bytes of a request's body."""
_OPEN = "/static/"
"""Where all places need no token."""
_LONGEST_LENGTH = 20
"""Digits of a length that is read at all."""
_CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none at all, browsers name no origin in the forms they send
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class AccessGuard:
    """Lets a request through to the pages with `state.person` and `state.form`, or answers it itself."""

    def __init__(self, app: ASGIApp, tokens: AccessTokens, hosts: Sequence[str], *, read_only: bool = False) -> None:
        self._app, self._tokens, self._read_only = app, tokens, read_only
        self._hosts = frozenset(map(str.casefold, hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)  # a report's page states a policy of its own
                headers.setdefault("cache-control", "no-store")
            await send(message)

        answer = await self._answer(scope, receive)
        await (answer or self._app)(scope, receive, with_headers)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """What is said in the pages' place; None if they may speak."""
        request = Request(scope, receive)
        path, state = scope["path"], scope.setdefault("state", {})
        state.update(person=None, people=self._tokens.people, form={}, guard="", read_only=self._read_only)
        if _name_of(request.headers.get("host", "")) not in self._hosts:
            return render_fault(request, 421, "This site is not served under that name. Open the link as it was given.")
        person = self._tokens.whose(request.cookies.get(self._tokens.cookie, ""))
        if person is not None:
            state.update(person=person, guard=self._tokens.guard(person))
        if path.startswith(_OPEN):
            return None
        changes = request.method in _CHANGES
        if path == ENTER and not changes:
            return enter(request, self._tokens)
        if person is None:
            return render_fault(request, 401, "Open the link that you were given: it lets you in.")
        return await self._change(request, path) if changes else None

    async def _change(self, request: Request, path: str) -> Response | None:
        """Who comes and goes changes nothing in the folder, so that a read-only site has nothing against it."""
        if self._read_only and path not in (ENTER, LEAVE):
            return render_fault(request, 403, "This site is read-only: nothing was changed.")
        refusal = await self._refusal(request)
        if refusal is not None or request.method != "POST":
            return refusal
        if path == ENTER:
            return enter(request, self._tokens)
        return leave(self._tokens) if path == LEAVE else None

    async def _refusal(self, request: Request) -> Response | None:
        """Why nothing is changed; None if the person meant it, and then with the form in the state."""
        body = await _body(request)
        if body is None:
            said = f"The request is larger than {LARGEST:,} bytes: nothing was changed."
            return render_fault(request, 413, said)
        try:
            request.state.form = _form(body)
        except ValueError:
            return render_fault(request, 400, "The form could not be read: nothing was changed.")
        if not self._meant(request.headers, request.state.form, request.state.guard):
            said = "The request does not come from this site's own pages, or from those of another person: nothing was changed."
            return render_fault(request, 403, said)
        return None

    def _meant(self, headers: Headers, form: Mapping[str, Sequence[str]], guard: str) -> bool:
        origin = headers.get("origin")
        if origin is not None and _netloc_of(origin) != headers.get("host", "").casefold():
            return False
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return False
        given = headers.get(f"x-{GUARD}") or next(iter(form.get(GUARD, ())), "")
        return hmac.compare_digest(given.encode(), guard.encode())


def _name_of(host: str) -> str:
    """A host without its port; empty for none."""
    name, colon, port = host.rpartition(":")
    has_port = bool(colon) and (port.isascii() and port.isdigit()) and (":" not in name or name.endswith("]"))
    return (name if has_port else host).casefold()


def _netloc_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.casefold()
    except ValueError:
        return ""  # no browser writes such an origin


async def _body(request: Request) -> bytes | None:
    """The body, or None if it is too large: it is not read to its end to find that out."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and (len(said) > _LONGEST_LENGTH or int(said) > LARGEST):
        return None
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > LARGEST:
            return None
    return bytes(read)


def _form(body: bytes) -> dict[str, tuple[str, ...]]:
    """Fields as a browser sends them; each may have several values."""
    text = body.decode("utf-8")
    found = parse_qs(text, keep_blank_values=True, strict_parsing=bool(body), max_num_fields=1000)
    return {name: tuple(values) for name, values in found.items()}
