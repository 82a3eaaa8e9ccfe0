"""Links: coming in, becoming somebody else only if that is meant, and leaving."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from httpx2 import Response

from app.web.site import ANNA, KEY, OWNER, PEOPLE, OpenSite, open_site
from constraintsuite.app.web.access import AccessTokens


@pytest.fixture
def site(tmp_path: Path) -> OpenSite:
    return open_site(tmp_path)


def enter_link(site: OpenSite) -> str:
    return f"/enter?token={site.door.token(ANNA)}"


def cookie_of(answer: Response) -> str:
    return answer.headers.get("set-cookie", "")


def test_two_folders_have_two_cookies() -> None:
    assert AccessTokens(KEY, PEOPLE).cookie != AccessTokens(b"another key, also of 32 bytes...", PEOPLE).cookie
    assert AccessTokens(KEY, PEOPLE).cookie == AccessTokens(KEY, [OWNER]).cookie


def test_sites_of_two_folders_do_not_put_each_other_out(tmp_path: Path, site: OpenSite) -> None:
    other = AccessTokens(b"another key, also of 32 bytes...", PEOPLE)
    owner = site.visit()
    owner.client.cookies.set(other.cookie, other.token(ANNA))  # cookies know no ports
    assert "olga, owner" in owner.page("/")


def test_somebody_who_is_in_is_asked_before_they_become_another(site: OpenSite) -> None:
    owner = site.visit()
    asked = owner.get(enter_link(site))
    assert cookie_of(asked) == ""
    assert "<h1>Continue as anna?</h1>" in asked.text
    assert "You are signed in as <strong>olga</strong> (owner)" in asked.text
    assert "olga, owner" in owner.page("/")


def test_who_goes_on_is_the_other(site: OpenSite) -> None:
    owner = site.visit()
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', owner.main(enter_link(site))))
    assert owner.post("/enter", {"token": fields["token"]}).headers["location"] == "/"
    owner.client.cookies.set(site.door.cookie, fields["token"])
    assert "anna, annotator" in owner.page("/")


def test_ones_own_link_asks_nothing(site: OpenSite) -> None:
    assert site.visit(ANNA).get(enter_link(site), 303).headers["location"] == "/"


def test_becoming_another_needs_the_guard(site: OpenSite) -> None:
    answer = site.visit().client.post("/enter", data={"token": site.door.token(ANNA)})
    assert (answer.status_code, cookie_of(answer)) == (403, "")


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_wrong_link_leaves_one_in(site: OpenSite, token: str) -> None:
    answer = site.visit().get(f"/enter?token={token}", 401)
    assert cookie_of(answer) == ""
    assert '<a href="/">Back to the first page</a>' in answer.text


@pytest.mark.parametrize("read_only", [False, True])
def test_one_can_leave(tmp_path: Path, read_only: bool) -> None:
    owner = open_site(tmp_path, read_only=read_only).visit()
    assert 'action="/leave"' in owner.page("/")
    left = owner.post("/leave")
    assert "max-age=0" in cookie_of(left).lower()


def test_nobody_is_made_to_leave_by_another_site(site: OpenSite) -> None:
    owner = site.visit()
    assert owner.client.post("/leave").status_code == 403
    owner.get("/leave", 404)


def test_name_and_role_stand_in_the_header(site: OpenSite) -> None:
    assert "olga, owner" in site.visit().page("/")
    assert "anna, annotator" in site.visit(ANNA).page("/")
