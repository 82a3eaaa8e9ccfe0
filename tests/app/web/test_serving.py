"""Addresses: what people are told, and the names under which they may come."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from app.web.site import OWNER
from constraintsuite.app.web.server import WebSite, listen
from constraintsuite.core.errors import UserError


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def has_ipv6() -> bool:
    """Some containers have none."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as made:
            made.bind(("::1", 0))
    except OSError:
        return False
    return True


def entered(site: WebSite, host: str) -> int:
    """What the owner's link is answered under a host name."""
    with listen(site) as served:
        link = urlsplit(served.links[OWNER])
        app = cast(ASGIApp, served.server.config.app)
        client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
        return client.get(f"{link.path}?{link.query}", headers={"host": host}).status_code


@pytest.mark.parametrize(
    ("host", "names", "shown"),
    [
        ("127.0.0.1", (), "127.0.0.1"),
        ("0.0.0.0", (), "127.0.0.1"),
        ("::1", (), "[::1]"),
        ("::", (), "[::1]"),
        ("::", ("lab.local",), "lab.local"),
        ("127.0.0.1", ("2001:db8::1",), "[2001:db8::1]"),
    ],
)
def test_a_link_leads_somewhere(tmp_path: Path, host: str, names: tuple[str, ...], shown: str) -> None:
    if ":" in host and not has_ipv6():
        pytest.skip("there is no IPv6 here")
    with listen(WebSite(tmp_path, (OWNER,), host, names=names)) as served:
        port = served.socket.getsockname()[1]
        assert served.links[OWNER].startswith(f"http://{shown}:{port}/enter?token=")


@pytest.mark.parametrize(
    ("name", "host"),
    [("Lab.local", "lab.local:8765"), ("lab.local", "LAB.local"), ("2001:DB8::1", "[2001:db8::1]:8765")],
)
def test_a_name_is_known_however_it_is_written(tmp_path: Path, name: str, host: str) -> None:
    assert entered(WebSite(tmp_path, (OWNER,), names=(name,)), host) == 303


def test_another_name_is_not(tmp_path: Path) -> None:
    assert entered(WebSite(tmp_path, (OWNER,), names=("lab.local",)), "evil.example") == 421


@pytest.mark.parametrize(
    "name", ["", " ", "lab.local:8765", "http://lab.local", "lab.local/", "a b", "[lab]", "[::1]:80"]
)
def test_what_is_no_host_name_is_refused_at_the_start(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(UserError, match="give only a host name"),
        listen(WebSite(tmp_path, (OWNER,), names=(name,))),
    ):
        pass


def test_a_read_only_site_writes_nothing_into_its_folder(tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    with listen(WebSite(tmp_path / "served", (OWNER,), read_only=True)):
        assert list((tmp_path / "served").iterdir()) == []


@pytest.mark.parametrize("host", ["", " "])
def test_no_host_is_not_all_hosts(tmp_path: Path, host: str) -> None:
    with pytest.raises(UserError, match="give an address such as"), listen(WebSite(tmp_path, (OWNER,), host)):
        pass


@pytest.mark.parametrize(
    ("host", "warned"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True), ("0", True)]
)
def test_an_address_that_others_can_reach_is_warned_of(tmp_path: Path, host: str, warned: bool) -> None:
    with listen(WebSite(tmp_path, (OWNER,), host)) as served:
        assert ("not encrypted" in served.warning) == warned
        assert served.links[OWNER].startswith(f"http://{'127.0.0.1' if warned else host}:")
