"""The site as an application, and the socket that it listens on."""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from constraintsuite.app.web import LOOPBACK
from constraintsuite.app.web.access import AccessGuard, AccessTokens, Person, load_key
from constraintsuite.app.web.artifact_index import ArtifactIndex, NotServedError
from constraintsuite.app.web.pages import PAGES, Page
from constraintsuite.app.web.renderer import render_fault, serve_static
from constraintsuite.core.errors import UserError

_PLACE = "{place:path}"
_NOT_THIS = (403, 404)


def make_app(
    artifacts: ArtifactIndex, tokens: AccessTokens, hosts: Sequence[str], *, read_only: bool = False
) -> ASGIApp:
    """The site over a folder of artifacts, for people with tokens, under these host names."""
    pages = [page for name in PAGES.names() for page in PAGES.load(name)]
    own = {page.path: page for page in pages if page.method == "GET"}
    routes = [Route(page.path, _endpoint(page, artifacts, own), methods=[page.method]) for page in pages]
    site = Starlette(
        routes=[*routes, Route("/static/{hash}/{name}", serve_static)],
        exception_handlers={HTTPException: _missing, Exception: _broken},
    )
    # Wrapped around the application: Starlette answers failing pages outside its middleware, and these need the headers too.
    return AccessGuard(site, tokens, hosts, read_only=read_only)


def _endpoint(
    page: Page, artifacts: ArtifactIndex, own: Mapping[str, Page]
) -> Callable[[Request], Awaitable[Response]]:
    """The handler of a page. If nothing is at the place before its verb, an artifact may have the verb as its name."""
    start, _, verb = page.path.partition(f"{_PLACE}/")
    plain = own.get(f"{start}{_PLACE}") if verb and page.method == "GET" else None

    async def show(request: Request) -> Response:
        answer = await run_in_threadpool(_answer, page, request, artifacts)
        if plain is None or answer.status_code not in _NOT_THIS or not await run_in_threadpool(is_named, request):
            return answer
        request.path_params["place"] += f"/{verb}"
        return await run_in_threadpool(_answer, plain, request, artifacts)

    def is_named(request: Request) -> bool:
        place, kind = request.path_params["place"], start.strip("/")
        places = {artifact.place for artifact in artifacts.of_kind(kind)}
        return place not in places and f"{place}/{verb}" in places

    return show


def _answer(page: Page, request: Request, artifacts: ArtifactIndex) -> Response:
    if request.state.person.role not in page.roles:
        return render_fault(request, 403, "This page is not for your role, since it could influence your answers.")
    try:
        return page.view(request, artifacts)
    except NotServedError as error:
        return render_fault(request, 404, str(error))
    except UserError as error:
        return render_fault(request, 400, artifacts.describe_error(error))


def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return render_fault(
        request, status, "There is nothing at this address." if status == 404 else "Nothing was changed."
    )


def _broken(request: Request, _: Exception) -> Response:
    """Report a bug without its details, which the terminal shows: they may hold what a visitor must not see."""
    return render_fault(
        request,
        500,
        "This is a bug. Everything saved before is safe; the terminal in which `csuite serve` runs has details.",
    )


_OWN_NAMES = (LOOPBACK, "localhost", "[::1]")
_WARNING = (
    "Other machines can reach this address, and the connection is not encrypted, so others may read the links. On a network that "
    f"is not your own, listen on {LOOPBACK} and let people connect through ssh -L or a proxy with TLS."
)
_NAME = re.compile(r"[^\s:/?#@\[\]]+|\[[0-9A-Fa-f:.]+\]")


@dataclass(frozen=True)
class WebSite:
    """What is served, to whom, and at which address."""

    folder: Path
    people: tuple[Person, ...]
    host: str = LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()
    """Further host names under which the site may be reached."""
    read_only: bool = False


@dataclass(frozen=True)
class ServedSite:
    """A site whose socket is open."""

    server: uvicorn.Server
    socket: socket.socket
    links: Mapping[Person, str]
    warning: str = ""
    """A warning for the person who started the site; empty for none."""

    def run(self) -> None:
        """Log the warning, then answer requests until the process is stopped."""
        if self.warning:
            logging.getLogger("uvicorn.error").warning(self.warning)
        self.server.run(sockets=[self.socket])


@contextmanager
def listen(site: WebSite) -> Iterator[ServedSite]:
    """Open the socket of a site. Raises UserError if the address is in use or not of this machine."""
    names = [_checked(_bracketed(name)) for name in site.names]
    if not site.host.strip():
        raise UserError(
            f"--host {site.host!r}: give an address such as {LOOPBACK}, or 0.0.0.0 for all addresses of this machine."
        )
    address = _bracketed(site.host)
    artifacts = ArtifactIndex(site.folder)
    tokens = AccessTokens(load_key(artifacts.root), site.people)
    app = make_app(artifacts, tokens, (*_OWN_NAMES, address, *names), read_only=site.read_only)
    with _bound(site.host, site.port) as bound:
        own, port = ipaddress.ip_address(bound.getsockname()[0]), bound.getsockname()[1]
        anywhere = (
            ("[::1]" if own.version == 6 else LOOPBACK) if own.is_unspecified else ""
        )  # an address that a browser can open
        shown = names[0] if names else anywhere or address
        links = {person: f"http://{shown}:{port}/enter?token={tokens.token(person)}" for person in site.people}
        config = uvicorn.Config(app, log_level="warning", server_header=False, date_header=False)
        yield ServedSite(uvicorn.Server(config), bound, links, "" if own.is_loopback else _WARNING)


def _bracketed(host: str) -> str:
    """The host as it is written in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and "[" not in host else host


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UserError(f"--name {name!r}: give only a host name such as lab.local, without http:// and port.")
    return name


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
        except OSError as error:
            raise UserError(
                f"{host}:{port} this address cannot be used: {error.strerror}. Choose another --port, or --port 0 for any free one."
            ) from None
        made.listen(256)
        yield made
