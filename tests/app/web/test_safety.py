"""What the guard lets through, and what it answers itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from app.web.site import ANNA, HOST, KEY, OWNER, PEOPLE, ask, open_site
from constraintsuite.app.web.access import GUARD, LARGEST, AccessGuard, AccessTokens, Person

DOOR = AccessTokens(KEY, PEOPLE)
FORM = {"content-type": "application/x-www-form-urlencoded"}


async def tell(request: Request) -> Response:
    """What a page would see."""
    state = request.state
    return JSONResponse({"who": state.person.name, "form": state.form})


def guarded(*, read_only: bool = False) -> TestClient:
    app = Starlette(routes=[Route("/page", tell, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])])
    site = AccessGuard(app, DOOR, (HOST, "localhost", "[::1]"), read_only=read_only)
    return TestClient(site, base_url=f"http://{HOST}", follow_redirects=False)


def inside(person: Person = OWNER, *, read_only: bool = False) -> TestClient:
    client = guarded(read_only=read_only)
    client.cookies.set(DOOR.cookie, DOOR.token(person))
    return client


@pytest.mark.parametrize("host", [HOST, f"{HOST}:8765", "localhost", "localhost:1", "LocalHost", "[::1]", "[::1]:8765"])
def test_its_own_names_are_served(host: str) -> None:
    assert inside().get("/page", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "evil.example:8765", "LOCALHOST.", "::1", ":80"]
)
def test_another_name_is_refused_even_with_a_token(host: str) -> None:
    assert inside().get("/page", headers={"host": host}).status_code == 421


def test_without_a_token_there_is_nothing() -> None:
    assert guarded().get("/page").status_code == 401


@pytest.mark.parametrize("token", ["", "wrong", DOOR.guard(OWNER)])
def test_a_wrong_cookie_is_no_token(token: str) -> None:
    client = guarded()
    client.cookies.set(DOOR.cookie, token)
    assert client.get("/page").status_code == 401


def test_a_token_in_the_address_opens_no_page() -> None:
    assert guarded().get(f"/page?token={DOOR.token(OWNER)}").status_code == 401


def test_a_link_becomes_a_cookie_that_scripts_cannot_read() -> None:
    client = guarded()
    answer = client.get(f"/enter?token={DOOR.token(ANNA)}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert client.get("/page").json()["who"] == "anna"


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%00", "?other=1"])
def test_a_wrong_link_gives_no_cookie(query: str) -> None:
    answer = guarded().get(f"/enter{query}")
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_a_form_with_the_guard_is_read() -> None:
    body = f"{GUARD}={DOOR.guard(OWNER)}&a=1&a=%C3%BC&b="
    answer = inside().post("/page", content=body, headers=FORM)
    assert answer.json()["form"] == {GUARD: [DOOR.guard(OWNER)], "a": ["1", "ü"], "b": [""]}


def test_a_script_may_send_the_guard_as_a_header() -> None:
    answer = inside().post("/page", content="a=1", headers={f"x-{GUARD}": DOOR.guard(OWNER)})
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    ("headers", "guard"),
    [
        pytest.param({}, None, id="no guard"),
        pytest.param({}, "", id="empty guard"),
        pytest.param({}, DOOR.guard(ANNA), id="another person's guard"),
        pytest.param({}, DOOR.token(OWNER), id="the token"),
        pytest.param({"origin": "http://evil.example"}, DOOR.guard(OWNER), id="another origin"),
        pytest.param({"origin": "null"}, DOOR.guard(OWNER), id="no origin to name"),
        pytest.param({"origin": f"http://{HOST}:9999"}, DOOR.guard(OWNER), id="another port"),
        pytest.param({"sec-fetch-site": "cross-site"}, DOOR.guard(OWNER), id="across sites"),
        pytest.param({"sec-fetch-site": "same-site"}, DOOR.guard(OWNER), id="a neighbour"),
    ],
)
def test_a_change_that_was_not_meant_is_refused(method: str, headers: dict[str, str], guard: str | None) -> None:
    body = "a=1" if guard is None else f"{GUARD}={guard}&a=1"
    assert inside().request(method, "/page", content=body, headers={**FORM, **headers}).status_code == 403


def test_its_own_origin_is_no_other() -> None:
    headers = {**FORM, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    assert inside().post("/page", content=f"{GUARD}={DOOR.guard(OWNER)}", headers=headers).status_code == 200


def padded(size: int) -> bytes:
    """A form with its guard, of this many bytes."""
    start = f"{GUARD}={DOOR.guard(OWNER)}&a=".encode()
    return start + b"x" * (size - len(start))


@pytest.mark.parametrize(("size", "status"), [(LARGEST, 200), (LARGEST + 1, 413)])
def test_a_body_is_bounded(size: int, status: int) -> None:
    assert inside().post("/page", content=padded(size), headers=FORM).status_code == status


def test_a_body_without_a_length_is_bounded_and_not_read_to_its_end(tmp_path: Path) -> None:
    sent = []

    def parts() -> Iterator[bytes]:
        while True:
            sent.append(LARGEST // 10)
            yield b"x" * sent[-1]

    status, body = ask(open_site(tmp_path), "/", method="POST", parts=parts())
    assert (status, b"larger than" in body) == (413, True)
    assert LARGEST < sum(sent) <= LARGEST + LARGEST // 10


def test_a_length_that_is_no_number_is_not_believed() -> None:
    headers = {**FORM, "content-length": "many"}
    assert inside().post("/page", content=padded(LARGEST + 1), headers=headers).status_code == 413


@pytest.mark.parametrize("body", [b"\xff\xfe", b"no-equals-sign", b"&".join([b"a=1"] * 1001)])
def test_a_body_that_is_no_form_is_refused(body: bytes) -> None:
    headers = {**FORM, f"x-{GUARD}": DOOR.guard(OWNER)}
    assert inside().post("/page", content=body, headers=headers).status_code == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_read_only_site_changes_nothing(method: str) -> None:
    client = inside(read_only=True)
    answer = client.request(method, "/page", content=padded(200), headers=FORM)
    assert (answer.status_code, client.get("/page").status_code) == (403, 200)


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 200),
        ("/", "HEAD", 200),
        ("/", "POST", 403),
        ("/", "TRACE", 405),
        ("/nothing", "GET", 404),
        ("/suite/nothing", "GET", 404),
        ("/static/0/site.css", "GET", 404),
        ("/enter?token=wrong", "GET", 401),
    ],
)
def test_every_answer_has_the_headers(tmp_path: Path, path: str, method: str, status: int) -> None:
    answer = open_site(tmp_path).visit().client.request(method, path)
    assert answer.status_code == status
    assert_headers(answer.headers)


@pytest.mark.parametrize("host", [HOST, "evil.example"])
def test_answers_to_strangers_have_them_too(tmp_path: Path, host: str) -> None:
    answer = open_site(tmp_path).stranger().get("/", headers={"host": host})
    assert answer.status_code in (401, 421)
    assert_headers(answer.headers)


def test_a_page_that_fails_has_them_too_and_tells_nothing() -> None:
    async def fail(_: Request) -> Response:
        raise RuntimeError("a secret")

    site = AccessGuard(Starlette(routes=[Route("/", fail)]), DOOR, (HOST,))
    client = TestClient(site, base_url=f"http://{HOST}", raise_server_exceptions=False)
    client.cookies.set(DOOR.cookie, DOOR.token(OWNER))
    answer = client.get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert_headers(answer.headers)


def assert_headers(headers: object) -> None:
    found = dict(headers)  # type: ignore[call-overload]
    policy = found["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert found["x-content-type-options"] == "nosniff"
    assert found["x-frame-options"] == "DENY"
    assert found["referrer-policy"] == "same-origin"  # with none at all, a form of our own would have no origin
    assert "cache-control" in found


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "http://]"])
def test_an_origin_that_cannot_be_read_is_another(origin: str) -> None:
    answer = inside().post("/page", headers={"origin": origin, **FORM}, content=f"{GUARD}={DOOR.guard(OWNER)}")
    assert answer.status_code == 403
    assert "content-security-policy" in answer.headers
