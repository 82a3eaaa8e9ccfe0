"""What the client does with proxies and redirects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from constraintsuite.core.store.http.client import HttpClient
from constraintsuite.core.store.http.errors import PermanentError, TransientError
from constraintsuite.core.store.http.messages import HttpResponse, Limits
from core.store.http.hostile import answering, fixed, page

SHORT = Limits(seconds=5)


def read(client: HttpClient, url: str) -> bytes:
    def whole(response: HttpResponse) -> bytes:
        return b"".join(response.chunks())

    try:
        return client.send(url, whole)
    finally:
        client.close()


def test_a_proxy_is_used_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(fixed("200 OK", b"from the proxy")) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        assert read(HttpClient(SHORT, use_proxies=True), "http://127.0.0.1:1/f") == b"from the proxy"
        with pytest.raises(TransientError, match="no connection"):
            read(HttpClient(SHORT), "http://127.0.0.1:1/f")


def test_a_proxy_of_an_unknown_kind_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "carrier-pigeon://127.0.0.1")
    with pytest.raises(PermanentError, match="the environment names a proxy that cannot be used"):
        read(HttpClient(SHORT, use_proxies=True), "http://127.0.0.1:1/f")


def test_redirects_are_followed_where_that_is_allowed() -> None:
    def answer(head: str) -> Iterator[bytes]:
        moved = page("302 Found", b"", {"Location": "/there"})
        yield page("200 OK", b"arrived") if head.startswith("GET /there") else moved

    with answering(answer) as url:
        assert read(HttpClient(Limits(seconds=5, redirects=1)), f"{url}/here") == b"arrived"
        assert read(HttpClient(SHORT), f"{url}/here") == b""
