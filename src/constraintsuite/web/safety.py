"""What stands between the network and the pages: who a request comes from, and whether a change was meant by them."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from constraintsuite.web.forms import only
from constraintsuite.web.people import AccessTokens
from constraintsuite.web.rendering import render, render_fault

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
        self._app, self._tokens, self._hosts, self._read_only = (
            app,
            tokens,
            frozenset(map(str.casefold, hosts)),
            read_only,
        )

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
    found: dict[str, tuple[str, ...]] = {}
    for name, value in parse_qsl(
        body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=1000
    ):
        found[name] = (*found.get(name, ()), value)
    return found
