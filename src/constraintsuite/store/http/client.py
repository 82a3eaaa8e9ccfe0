"""Requests with limits: of the total time, the bytes of headers and body, the redirects, and the slowest speed.

httpx2 bounds the time between two bytes; a server that sends a byte now and then would keep us for ever. So a timer cuts the
connection when the time of the whole request is over. Bodies are never decompressed, since none is asked for compressed: a
small one cannot become a large one.
"""

# ruff: noqa: PLC0415 - httpx2 takes a tenth of a second to load, and most commands need no network

from __future__ import annotations

import math
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from constraintsuite.store.http.faults import LastingFault, PassingFault, Stopped, TooLarge, clip

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
MAX_BODY_BYTES = 64 << 20
MAX_HEADER_BYTES = 64 << 10


@dataclass(frozen=True)
class Limits:
    """The most that one request may take; a server that goes beyond is cut off."""

    seconds: float = 60.0
    """From the first look-up of the host's name to the last byte of the body."""
    body_bytes: int = MAX_BODY_BYTES
    header_bytes: int = MAX_HEADER_BYTES
    redirects: int = 0
    """How many are followed; with 0, a redirect is an answer like any other."""
    stall_seconds: float = math.inf
    """The longest time without a byte, for requests whose `seconds` are many."""
    bytes_per_second: float = 0.0
    """The slowest mean speed of a body, once `stall_seconds` are over."""


@dataclass(frozen=True)
class Request:
    """What is sent; a `body` makes it a POST."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class Incoming:
    """An answer whose headers are here and whose body is still to come."""

    def __init__(self, response: httpx2.Response, limits: Limits) -> None:
        self.status, self.reason = response.status_code, response.reason_phrase
        self.headers: Mapping[str, str] = response.headers
        self._response, self._limits = response, limits

    @property
    def length(self) -> int | None:
        """The bytes of the body, where the server says so."""
        found = self.headers.get("Content-Length")
        return None if found is None else int(found)

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes; one that is compressed or too large is a LastingFault, one that is too slow a PassingFault."""
        encoding = self.headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            raise LastingFault(
                f"the answer is compressed ({clip(encoding)[:40]}), which was not asked for",
                "Turn compression off in the server, or in what stands before it.",
            )
        self._refuse_large(self.length or 0)
        received, start = 0, time.monotonic()
        for piece in self._response.iter_raw():
            received += len(piece)
            self._refuse_large(received)
            seconds = time.monotonic() - start
            if seconds > self._limits.stall_seconds and received < seconds * self._limits.bytes_per_second:
                raise PassingFault("too slow", f"{received:,} bytes in {seconds:.0f} s")
            yield piece

    def beginning(self, size: int) -> bytes:
        """The first bytes of the body, of an error page for example; none of one that is compressed."""
        data = bytearray()
        if "Content-Encoding" not in self.headers:
            for piece in self._response.iter_raw():
                data += piece
                if len(data) >= size:
                    break
        return bytes(data[:size])

    def _refuse_large(self, size: int) -> None:
        if size > self._limits.body_bytes:
            raise TooLarge(f"the answer has more than {self._limits.body_bytes:,} bytes, which is the limit")


class HttpClient:
    """Sends requests from several threads; each thread keeps its own connection open."""

    def __init__(self, limits: Limits, *, use_proxies: bool = False) -> None:
        """`use_proxies`: whether the proxies that the environment names are used."""
        self.stopped = threading.Event()
        self._limits, self._use_proxies = limits, use_proxies
        self._mine = threading.local()
        self._connections: list[_Connection] = []

    def send(self, request: Request, take: Callable[[Incoming], T]) -> T:
        """What `take` makes of the answer. Raises PassingFault, LastingFault, or Stopped after `stop`."""
        connection: _Connection | None = getattr(self._mine, "connection", None)
        if connection is None:
            connection = self._mine.connection = _Connection(self._limits, self._use_proxies, self.stopped)
            self._connections.append(connection)
        try:
            return connection.exchange(request, take)
        except _IdleConnectionLost:  # servers close connections that idle: only a new one says something
            return connection.exchange(request, take)

    def stop(self) -> None:
        """End all requests that are in progress."""
        self.stopped.set()
        for connection in self._connections:
            connection.cut()

    def close(self) -> None:
        """Close the connections that the threads, which have ended, left open."""
        self._mine = threading.local()
        while self._connections:
            self._connections.pop().close()


class _IdleConnectionLost(PassingFault):
    """A connection that was used before was lost before the answer began."""


class _Connection:
    """The connection of one thread, which a timer or another thread can cut."""

    def __init__(self, limits: Limits, use_proxies: bool, stopped: threading.Event) -> None:
        import httpx2

        self._limits, self._stopped = limits, stopped
        self._idle_seconds = min(limits.seconds, limits.stall_seconds)
        try:
            self._client = httpx2.Client(verify=_trusted(), trust_env=use_proxies, timeout=self._idle_seconds)
        except (ValueError, ImportError) as error:
            raise LastingFault(
                f"the environment names a proxy that cannot be used: {clip(str(error)).rstrip('.')}"
            ) from None
        self._socket: socket.socket | None = None
        self._is_cut = self._is_new = False

    def exchange(self, request: Request, take: Callable[[Incoming], T]) -> T:
        import httpx2

        self._is_cut = self._is_new = False
        if self._stopped.is_set():  # asked only now: a stop from here on cuts the connection
            raise Stopped
        answered = False
        timer = threading.Timer(self._limits.seconds, self.cut)
        timer.daemon = True
        timer.start()
        try:
            with closing(self._open(request)) as response:
                answered = True
                taken = take(Incoming(response, self._limits))
            if self._is_cut:  # what ends with its connection seems to have ended well
                raise httpx2.ReadTimeout("")
            return taken
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            if self._stopped.is_set():
                raise Stopped from None
            fault = self._fault(error)
            if isinstance(fault, PassingFault) and fault.kind == "connection lost" and not (self._is_new or answered):
                raise _IdleConnectionLost(fault.kind, "before the answer began") from None
            raise fault from None
        finally:
            timer.cancel()
            timer.join()  # so that it never cuts the next request

    def cut(self) -> None:
        self._is_cut = True
        with suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it

    def close(self) -> None:
        self._client.close()

    def _open(self, request: Request) -> httpx2.Response:
        import httpx2

        headers = {"User-Agent": "constraintsuite", "Accept-Encoding": "identity", **request.headers}
        method = "GET" if request.body is None else "POST"
        message = httpx2.Request(
            method, request.url, headers=headers, content=request.body, extensions={"trace": self._watch}
        )
        for _ in range(self._limits.redirects + 1):
            response = self._client.send(message, stream=True)
            if sum(len(name) + len(value) for name, value in response.headers.raw) > self._limits.header_bytes:
                response.close()
                raise httpx2.RemoteProtocolError(f"its headers have more than {self._limits.header_bytes:,} bytes")
            if response.next_request is None or not self._limits.redirects:
                return response
            response.close()
            message = response.next_request
        raise httpx2.TooManyRedirects(f"it redirects more than {self._limits.redirects} times")

    def _watch(self, event: str, info: Mapping[str, Any]) -> None:
        """Told by the connection pool what it does: remember the socket, which is needed to cut it."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._is_new = True
            self._socket = info["return_value"].get_extra_info("socket")
            if self._is_cut:
                self.cut()

    def _fault(self, error: Exception) -> Exception:
        import httpx2

        if self._is_cut:
            return PassingFault("timeout", f"no complete answer within {self._limits.seconds:g} s")
        if isinstance(error, httpx2.TimeoutException):
            return PassingFault("timeout", f"no answer within {self._idle_seconds:g} s")
        cause = next((each for each in _causes(error) if isinstance(each, _TELLING)), None)
        if isinstance(cause, ssl.SSLCertVerificationError):
            advice = "Name your own authority with SSL_CERT_FILE=FILE."
            return LastingFault(f"its certificate is not trusted ({cause.verify_message})", advice)
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
            return LastingFault("no host of that name is known here")
        if isinstance(error, httpx2.TooManyRedirects | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
            return LastingFault(clip(str(error)).rstrip("."))
        if isinstance(error, httpx2.RemoteProtocolError) and not str(error).startswith(_LOST):
            return PassingFault(
                "not valid HTTP", str(error).replace("Receive buffer too long", "its headers have no end")
            )
        lost = isinstance(error, httpx2.ReadError | httpx2.WriteError | httpx2.RemoteProtocolError)
        return PassingFault("connection lost" if lost else "no connection", str(error))


_TELLING = (ssl.SSLCertVerificationError, socket.gaierror)
_LOST = ("Server disconnected", "peer closed connection")  # as httpcore2 and h11 say it


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__  # the pool raises again without the cause


@cache
def _trusted() -> ssl.SSLContext:
    """The system's authorities, or those of SSL_CERT_FILE; loaded once, since that takes long."""
    return ssl.create_default_context()
