"""An S3 server on loopback, spoken to over real HTTP, and layers before it that watch, count or fail."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from moto.core import DEFAULT_ACCOUNT_ID  # type: ignore[attr-defined]  # moto lists no names to export
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from s3fs import S3FileSystem
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.test import Client

from constraintsuite.core.store.sync_state import connect

Environ = dict[str, Any]
Start = Callable[..., Any]
Application = Callable[[Environ, Start], Iterable[bytes]]
BUCKET = "bucket"
_LED_TO: list[tuple[str, str | None]] = []
_SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=anyone/20260101/us-east-1/s3/aws4_request"}


@dataclass
class Server:
    """What answers under the address: moto, behind one layer that a test may exchange."""

    moto: Application
    url: str = ""
    layer: Application | None = None
    requests: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        self.requests[environ["REQUEST_METHOD"]] += 1
        return (self.layer or self.moto)(environ, start)

    @property
    def direct(self) -> Client:
        """Speaks with moto past the layer."""
        return Client(self.moto)

    def empty(self) -> None:
        """One bucket with nothing in it, and no layer before it."""
        self.layer = None
        s3_backends.reset()
        self.direct.put(f"/{BUCKET}")
        self.requests.clear()

    def write(self, name: str, data: bytes) -> None:
        """Put an object into the bucket."""
        self.direct.put(f"/{BUCKET}/{name}", data=data, headers=_SIGNED)

    def delete(self, name: str) -> None:
        """Take an object out of the bucket."""
        self.direct.delete(f"/{BUCKET}/{name}", headers=_SIGNED)

    def objects(self) -> dict[str, bytes]:
        """Every object of the bucket, as moto holds it."""
        held = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[BUCKET].keys
        return {name: bytes(held[name].value) for name in sorted(held)}


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def s3_server() -> Iterator[Server]:
    """A server that runs as long as the block; `lead_to` makes s3:// URLs lead to it."""
    server = Server(cast(Application, DomainDispatcherApplication(create_backend_app)))
    listening = make_server("127.0.0.1", 0, cast(Any, server), threaded=True, request_handler=_Silent)
    listening.daemon_threads = True  # type: ignore[attr-defined]
    server.url = f"http://127.0.0.1:{listening.port}"
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


def lead_to(url: str, patch: pytest.MonkeyPatch) -> None:
    """Let s3:// URLs lead to a server, for as long as the patch holds."""
    if os.environ.get("AWS_ENDPOINT_URL") != url:
        patch.setenv("AWS_ENDPOINT_URL", url)
        patch.setenv("AWS_ACCESS_KEY_ID", "anyone")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "anything")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    settings = (url, os.environ.get("AWS_MAX_ATTEMPTS"))
    if _LED_TO[-1:] != [settings]:  # drivers keep their connections and settings for as long as a process lives
        connect.cache_clear()
        S3FileSystem.clear_instance_cache()
        _LED_TO.append(settings)


@dataclass
class Watching:
    """Lets one request through at a time, and looks at the store after each."""

    server: Server
    look: Callable[[dict[str, bytes]], None]
    seen: int = 0
    faults: list[BaseException] = field(default_factory=list)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        with self.server.lock:
            answer = list(self.server.moto(environ, start))
            self.seen += 1
            try:
                self.look(self.server.objects())
            except BaseException as error:  # raised in the test's own thread later
                self.faults.append(error)
            return answer


@dataclass
class Failing:
    """Fails about one in `every` requests, each in a way that its seed, name and number of attempts decide."""

    server: Server
    seed: int
    every: int = 3
    attempts: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        name = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        with self.server.lock:
            self.attempts[name] += 1
            chance = hashlib.sha256(f"{self.seed} {name} {self.attempts[name]}".encode()).digest()
        if chance[0] % self.every:
            return self.server.moto(environ, start)
        way = (self.busy, self.dropped_before, self.dropped_after, self.cut_short)[chance[1] % 4]
        self.failed[way.__name__] += 1
        return way(environ, start)

    def busy(self, environ: Environ, start: Start) -> Iterable[bytes]:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        body = b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"
        start("503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    def dropped_before(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """The request is never carried out."""
        return self._hang_up(environ, start)

    def dropped_after(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """The request is carried out, and nobody hears of it."""
        list(self.server.moto(environ, lambda *_: None))
        return self._hang_up(environ, start)

    def cut_short(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Half of the answer comes."""
        told: list[Any] = []
        body = b"".join(self.server.moto(environ, lambda *heads: told.extend(heads)))
        start(*told[:2])
        yield body[: len(body) // 2]
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)

    def _hang_up(self, environ: Environ, start: Start) -> Iterable[bytes]:
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        start("200 OK", [])
        return []
