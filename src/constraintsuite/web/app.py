"""The site as an application: its pages behind the guard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from constraintsuite.errors import UserError
from constraintsuite.web.artifact_index import ArtifactIndex, NotServedError
from constraintsuite.web.pages import PAGES, Page
from constraintsuite.web.people import AccessTokens
from constraintsuite.web.rendering import render_fault, serve_static
from constraintsuite.web.safety import AccessGuard

_PLACE = "{place:path}"
_NOT_THIS = (403, 404)


def make_app(
    artifacts: ArtifactIndex, tokens: AccessTokens, hosts: Sequence[str], *, read_only: bool = False
) -> ASGIApp:
    """The site over a artifacts, for the people of a tokens, under these host names."""
    pages = [page for name in PAGES.names() for page in PAGES.load(name)]
    own = {page.path: page for page in pages if page.method == "GET"}
    routes = [Route(page.path, _endpoint(page, artifacts, own), methods=[page.method]) for page in pages]
    site = Starlette(
        routes=[*routes, Route("/static/{hash}/{name}", serve_static)],
        exception_handlers={HTTPException: _missing, Exception: _broken},
    )
    # Around all of it, not as a middleware: a page that fails is answered outside of those, and needs the headers too.
    return AccessGuard(site, tokens, hosts, read_only=read_only)


def _endpoint(
    page: Page, artifacts: ArtifactIndex, own: Mapping[str, Page]
) -> Callable[[Request], Awaitable[Response]]:
    """Answers with a page; where nothing is at the place before its verb, a thing may have the verb for its name."""
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
        places = {one.place for one in artifacts.of_kind(kind)}
        return place not in places and f"{place}/{verb}" in places

    return show


def _answer(page: Page, request: Request, artifacts: ArtifactIndex) -> Response:
    if request.state.person.role not in page.roles:
        return render_fault(request, 403, "This page is not for your role: what stands there could lead your answers.")
    try:
        return page.view(request, artifacts)
    except NotServedError as error:
        return render_fault(request, 404, str(error))
    except UserError as error:
        return render_fault(request, 400, artifacts.told(error))


def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    said = "There is nothing at this address." if status == 404 else "Nothing was changed."
    return render_fault(request, status, said)


def _broken(request: Request, _: Exception) -> Response:
    """What went wrong stands where `csuite serve` runs, not here: it may tell of what a visitor must not know."""
    said = "This is a fault of the program. What was kept before is safe; the window in which `csuite serve` runs says more."
    return render_fault(request, 500, said)
