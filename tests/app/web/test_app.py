"""The site as a whole: who may see which page, addresses that lead nowhere, and texts that would be more than text."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from app.web.site import ANNA, HOST, JUDGE, OWNER, PEOPLE, OpenSite, ask, open_site
from constraintsuite.app.web.access import Person
from constraintsuite.app.web.pages import PAGES, Page
from constraintsuite.app.web.renderer import SCRIPTS, static_path
from constraintsuite.suites.annotation.batch import write_batch
from experiments.tiny_suite import write_suite
from suites.annotation.small_batch import dishes, make_batch

ALL_PAGES = [page for name in PAGES.names() for page in PAGES.load(name)]
SECRET = "root:x:0:0"


def address(page: Page) -> str:
    return re.sub(r"\{[^}]*\}", "nowhere", page.path)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> OpenSite:
    folder = tmp_path_factory.mktemp("site")
    (folder / "served" / "suite").mkdir(parents=True)
    write_suite(folder / "served" / "suite")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "served" / "secret.txt").write_text(SECRET)
    return open_site(folder / "served")


@pytest.mark.parametrize("person", [OWNER, ANNA, JUDGE], ids=lambda person: person.role)
@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: f"{page.method} {page.path}")
def test_a_page_is_for_its_roles(site: OpenSite, page: Page, person: Person) -> None:
    visitor = site.visit(person)
    data = {"guard": visitor.guard} if page.method != "GET" else None
    status = visitor.client.request(page.method, address(page), data=data).status_code
    assert (status == 403) == (person.role not in page.roles), status
    assert status < 500


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: f"{page.method} {page.path}")
def test_a_stranger_sees_no_page(site: OpenSite, page: Page) -> None:
    assert site.stranger().request(page.method, address(page)).status_code == 401


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if page.method != "GET"], ids=lambda page: page.path)
def test_every_change_needs_the_guard(site: OpenSite, page: Page) -> None:
    for person in PEOPLE:
        assert site.visit(person).client.request(page.method, address(page)).status_code == 403


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if page.method != "GET"], ids=lambda page: page.path)
def test_a_read_only_site_refuses_every_change(tmp_path: Path, page: Page) -> None:
    visitor = open_site(tmp_path, read_only=True).visit()
    answer = visitor.client.request(page.method, address(page), data={"guard": visitor.guard})
    assert (answer.status_code, "read-only" in answer.text) == (403, True)


def test_only_the_owner_sees_what_there_is(site: OpenSite) -> None:
    assert "tiny" in site.visit(OWNER).page("/")
    assert "tiny" not in site.visit(ANNA).page("/")
    assert "tiny" not in site.visit(JUDGE).page("/")


@pytest.mark.parametrize(
    "out",
    [
        "../secret.txt",
        "../../secret.txt",
        "..",
        ".",
        "",
        "./",
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "..%2fsecret.txt",
        "%252e%252e%252fsecret.txt",
        "..\\secret.txt",
        "..%5csecret.txt",
        "suite/../../secret.txt",
        "suite/../secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        "file:///etc/passwd",
        "\u2025/secret.txt",
        "%c0%ae%c0%ae/secret.txt",
        "secret.txt",
        "secret.txt\0",
        "suite\0/../../secret.txt",
        "suite/manifest.json",
        "suite/examples.jsonl",
        "x" * 5000,
    ],
)
def test_no_address_leaves_the_folder(site: OpenSite, out: str) -> None:
    found = set()
    for page in ALL_PAGES:
        if page.method == "GET" and "{place:path}" in page.path:
            status, body = ask(site, page.path.replace("{place:path}", out), "id=creamless&reason=x")
            assert SECRET.encode() not in body
            found.add(status)
    assert found == {404}


@pytest.mark.parametrize("path", ["/static/../suite/suite", "/static/%2e%2e/suite", "/static//suite/suite", "/static/"])
def test_the_open_places_lead_nowhere_else(site: OpenSite, path: str) -> None:
    status, body = ask(site, path)
    assert status == 404
    assert b"creamless" not in body


@pytest.mark.parametrize("name", ["site.css", *SCRIPTS])
def test_shared_files_are_named_by_their_content_and_kept(site: OpenSite, name: str) -> None:
    answer = site.stranger().get(static_path(name))
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/css" if name.endswith(".css") else "text/javascript")


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> {{ 7*7 }} </title></textarea>"


def test_hostile_names_are_text(tmp_path: Path) -> None:
    for folder, name in (('a"><script>x(1)<', HOSTILE), ("plain", "\u202eright to left")):
        (tmp_path / folder).mkdir()
        write_suite(tmp_path / folder, name=name)
    page = open_site(tmp_path).visit().page("/")
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<script>x" not in page
    assert "{{ 7*7 }}" in page


@pytest.mark.parametrize("name", ["with space", "per%cent", "%2e%2e", "a#b?c&d", "ünï", "~", "a\"b'c"])
def test_links_lead_to_their_things(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    write_suite(tmp_path / name)
    site = open_site(tmp_path)
    link = re.search(r'href="(/suite/[^"]*)"', site.visit().page("/"))
    assert link is not None
    status, body = ask(site, unquote(link[1]))  # once, as a server does; the client of these tests does it twice
    assert (status, b"id=creamless" in body) == (200, True)


def test_a_suite_that_is_served_itself_has_an_address(tmp_path: Path) -> None:
    write_suite(tmp_path)
    visitor = open_site(tmp_path).visit()
    link = re.search(r'href="(/suite/[^"]*)"', visitor.page("/"))
    assert link is not None
    assert "/." not in link[1].replace("/.here", "")
    assert "creamless" in visitor.page(link[1])


@pytest.mark.parametrize("words", ["There is no suite at", "&#39;&lt;b&gt;&#39;"])
def test_what_is_not_there_is_told_in_words(site: OpenSite, words: str) -> None:
    assert words in site.visit().get("/suite/<b>", 404).text


VERBS = sorted({page.path.rpartition("}/")[2] for page in ALL_PAGES if page.path.startswith("/batch/{place:path}/")})


@pytest.mark.parametrize("verb", [verb for verb in VERBS if "/" not in verb])
@pytest.mark.parametrize(("person", "status"), [(OWNER, 200), (ANNA, 303), (JUDGE, 303)])
def test_a_batch_may_have_the_name_of_a_page(tmp_path: Path, verb: str, person: Person, status: int) -> None:
    write_batch(tmp_path / "mine" / verb, dishes())
    location = open_site(tmp_path).visit(person).get(f"/batch/mine/{verb}", status).headers.get("location", "")
    assert location.startswith(f"/batch/mine/{verb}" if status == 303 else "")


def test_a_read_only_site_writes_nothing_through_a_link(tmp_path: Path) -> None:
    batch = make_batch(tmp_path / "served")
    other = tmp_path / "other.sqlite"
    batch.store.path.rename(other)
    batch.store.path.symlink_to(other)
    before = other.read_bytes()
    page = open_site(tmp_path / "served", read_only=True).visit(ANNA).get("/batch/batch", 400).text
    assert "leads out of the served folder" in page
    assert other.read_bytes() == before


def test_text_of_a_file_elsewhere_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    suite = write_suite(tmp_path / "served")
    (tmp_path / "secret.txt").write_text(SECRET)
    (suite / "README.md").unlink(missing_ok=True)
    (suite / "README.md").symlink_to(tmp_path / "secret.txt")
    assert SECRET not in open_site(tmp_path / "served").visit().get("/suite/.here/about", 400).text


@pytest.mark.parametrize("number", ["9" * 5000, "0000000001" + "9" * 4400])
def test_a_number_that_is_too_long_is_told(site: OpenSite, number: str) -> None:
    site.visit().get(f"/suite/suite?page={number}", 400)
    site.visit().post("/sample/suite", {"size": number, "seed": "0"}, 422)


@pytest.mark.parametrize(
    ("method", "path", "status", "heading"),
    [
        ("GET", "/nowhere", 404, "Not found"),
        ("GET", "/suite/suite?page=x", 400, "This cannot be shown"),
        ("POST", "/suite/suite", 405, "This cannot be done here"),
        ("POST", "/sample/.here", 404, "Not found"),
        ("GET", "/enter?token=wrong", 401, "You are not signed in"),
    ],
)
def test_an_error_is_a_page_with_a_way_back(site: OpenSite, method: str, path: str, status: int, heading: str) -> None:
    visitor = site.visit()
    data = {"guard": visitor.guard} if method == "POST" else None
    answer = visitor.client.request(method, path, data=data)
    assert (answer.status_code, f"<h1>{heading}</h1>" in answer.text) == (status, True)
    assert 'href="/">Back to the first page</a>' in answer.text


@pytest.mark.parametrize(
    ("guard", "content", "status", "heading"),
    [
        ("wrong", b"a=1", 403, "Nothing was changed"),
        (None, b"\xff", 400, "Nothing was changed"),
        (None, b"a=" + b"x" * 1_000_000, 413, "Too large"),
    ],
)
def test_so_is_a_refusal(site: OpenSite, guard: str | None, content: bytes, status: int, heading: str) -> None:
    visitor = site.visit()
    answer = visitor.client.post("/sample/suite", content=content, headers={"x-guard": guard or visitor.guard})
    assert (answer.status_code, f"<h1>{heading}</h1>" in answer.text) == (status, True)


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 401), ("<script>alert(1)</script>.example", 421)])
def test_a_stranger_gets_a_page_that_tells_nothing(site: OpenSite, host: str, status: int) -> None:
    answer = site.stranger().get("/<script>alert(2)</script>", headers={"host": host})
    assert (answer.status_code, answer.text.count("<h1>")) == (status, 1)
    assert "<script>alert" not in answer.text
    assert 'name="guard" content=""' in answer.text
    assert "/leave" not in answer.text


def test_a_page_that_fails_is_a_page_that_tells_nothing(site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(type(site.shelf), "get", fail)
    client = TestClient(site.app, base_url=f"http://{HOST}", raise_server_exceptions=False)
    client.cookies.set(site.door.cookie, site.door.token(OWNER))
    answer = client.get("/suite/suite")
    assert (answer.status_code, "<h1>Something went wrong</h1>" in answer.text) == (500, True)
    assert SECRET not in answer.text


def test_an_error_does_not_say_where_the_folder_lies(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    (suite / "examples.jsonl").write_text("{")
    page = open_site(tmp_path).visit().get("/suite/suite", 400).text
    assert "suite/examples.jsonl: changed since the suite was made" in page
    assert str(tmp_path) not in page
