"""Coming in by a link, as somebody else if that is meant, and going out again."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.web.forms import only
from constraintsuite.web.people import Door
from constraintsuite.web.rendering import render, render_fault

ENTER, LEAVE = "/enter", "/leave"
TOKEN = "token"
_MONTH = 30 * 24 * 3600


def enter(request: Request, door: Door) -> Response:
    """A link becomes a cookie, and its token leaves the address; who is somebody already is asked first."""
    asked = request.method == "POST"
    token = only(request.state.form, TOKEN) if asked else request.query_params.get(TOKEN, "")
    person, now = door.whose(token), request.state.person
    if person is None:
        return render_fault(request, 401, "This link is not valid here. Ask for a new one.")
    if not asked and now is not None and now != person:
        return render(request, "enter.html.jinja", title=f"Go on as {person.name}?", other=person, token=token)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(door.cookie, token, httponly=True, samesite="lax", path="/", max_age=_MONTH)
    return answer


def leave(door: Door) -> Response:
    """From now on this browser is nobody."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(door.cookie, httponly=True, samesite="lax", path="/")
    return answer
