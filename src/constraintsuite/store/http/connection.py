"""One thread's connection over httpx2, which another thread can cut, and its faults in our own words."""

# ruff: noqa: PLC0415 - httpx2 takes a tenth of a second to load, and most commands need no network

from __future__ import annotations

import math
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from constraintsuite.store.http.faults import LastingFault, PassingFault, Stopped, clip
from constraintsuite.store.http.messages import HttpRequest, Incoming, Limits

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")


class IdleConnectionLost(PassingFault):
    """A connection that was used before was lost before the answer began."""


class Connection:
    """The connection of one thread, which another thread can cut."""

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
        self._lock = threading.Lock()
        self._deadline = math.inf
        self._is_cut = self._is_new = False

    def exchange(self, request: HttpRequest, take: Callable[[Incoming], T]) -> T:
        """What `take` makes of the answer to a request; raises PassingFault, LastingFault or Stopped."""
        import httpx2

        answered = self._is_cut = self._is_new = False
        if self._stopped.is_set():  # asked only now: a stop from here on cuts the connection
            raise Stopped
        self._set_deadline(time.monotonic() + self._limits.seconds)
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
                raise IdleConnectionLost(fault.kind, "before the answer began") from None
            raise fault from None
        finally:
            self._set_deadline(math.inf)

    def cut_if_late(self) -> None:
        """End the request in progress if its time is over; called again and again from another thread."""
        with self._lock:  # so that the next request is never cut
            if time.monotonic() > self._deadline:
                self.cut()

    def cut(self) -> None:
        """End the request in progress now."""
        self._is_cut = True
        with suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it

    def close(self) -> None:
        """Give the socket back; there must be no request in progress."""
        self._client.close()

    def _set_deadline(self, moment: float) -> None:
        with self._lock:
            self._deadline = moment

    def _open(self, request: HttpRequest) -> httpx2.Response:
        import httpx2

        headers = {"User-Agent": "constraintsuite", "Accept-Encoding": "identity", **request.headers}
        method = "GET" if request.body is None else "POST"
        message = httpx2.Request(
            method, request.url, headers=headers, content=request.body, extensions={"trace": self._trace}
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

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
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
