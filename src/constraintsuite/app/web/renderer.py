"""Renders templates to pages, and serves the styles and scripts that pages share."""

from __future__ import annotations

from functools import cache
from importlib import resources

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from constraintsuite.app.pages.drawings.svg import page_colours
from constraintsuite.app.pages.page import make_environment, page_rules, read_template
from constraintsuite.app.web.forms import options_of, takes_several
from constraintsuite.core.store.files import sha256_text
from constraintsuite.suites.annotation.agreement import ADVICE, RULE, find_concerns, too_few
from constraintsuite.suites.annotation.records import SIDES, how_to_answer

SCRIPTS = ("page.js", "site.js", "annotate.js", "proposals.js", "writing.js", "walk.js")
_OF_REPORTS = ("page.js", "walk.js")
_YEAR = 31_536_000
_HEADINGS = {
    400: "This cannot be shown",
    401: "You are not signed in",
    403: "You may not see this",
    404: "Not found",
    405: "This cannot be done here",
    413: "Too large",
    421: "Unknown host name",
    500: "Something went wrong",
}
_UNCHANGED = "Nothing was changed"


def render(request: Request, template: str, *, status: int = 200, **values: object) -> Response:
    """A page in the frame of the site. Everything from artifacts and people is escaped."""
    shared = {
        "person": request.state.person,
        "guard": request.state.guard,
        "read_only": request.state.read_only,
        "path": request.url.path,
        "static": {name: static_path(name) for name in ("site.css", *SCRIPTS)},
    }
    return HTMLResponse(_environment().get_template(template).render(**shared, **values), status)


def render_fault(request: Request, status: int, message: str) -> Response:
    """A page that says what is wrong."""
    heading = _HEADINGS.get(status, _HEADINGS[404])
    if request.method == "POST" and status in (400, 403):
        heading = _UNCHANGED
    return render(request, "fault.html.jinja", status=status, title=heading, message=message)


def static_path(name: str) -> str:
    """The address of a shared file. It contains a hash of the content, so browsers may cache it."""
    return f"/static/{sha256_text(_static(name))[:12]}/{name}"


def serve_static(request: Request) -> Response:
    """Serve one of the shared files."""
    name = request.path_params["name"]
    if name not in ("site.css", *SCRIPTS) or request.url.path != static_path(name):
        return Response(status_code=404)
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    return Response(_static(name), media_type=kind, headers={"cache-control": f"max-age={_YEAR}, immutable"})


@cache
def _static(name: str) -> str:
    if name == "site.css":
        reports = f"{page_rules()}{read_template('walk.css')}"
        return f":root {{ {page_colours()} }}\n{reports}{_own('site.css')}"
    return read_template(name) if name in _OF_REPORTS else _own(name)


def _own(name: str) -> str:
    return (resources.files("constraintsuite.app.web") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    def find(name: str) -> str:
        own = resources.files("constraintsuite.app.web") / "templates" / name
        return own.read_text(encoding="utf-8") if own.is_file() else read_template(name)

    made = make_environment(find)
    made.globals |= {"options_of": options_of, "takes_several": takes_several, "how_to_answer": how_to_answer}
    made.globals |= {"sides": SIDES, "concerns": find_concerns, "too_few": too_few, "rule": RULE, "advice": ADVICE}
    return made
