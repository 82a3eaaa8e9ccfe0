"""HTTP requests with limits on the total time, the bytes of headers and body, the redirects, and the speed.

httpx2 limits only the time between two bytes, so a server that sends a byte now and then could block a request for ever.
Therefore requests run on an event loop in its own thread, which cancels a request when its time is over or `stop` is called.
Compressed bodies are neither asked for nor decompressed, so that a small body cannot become a large one.
"""

# ruff: noqa: PLC0415 - httpx2 takes a tenth of a second to load, and most commands need no network

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from constraintsuite.core.store.http.errors import PermanentError, Stopped, TransientError, clip
from constraintsuite.core.store.http.messages import HttpResponse, Limits

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
_CLOSE_SECONDS = 1.0
_LOST = ("Server disconnected", "peer closed connection")  # as httpcore2 and h11 say it
_NAMED_CAUSES = (ssl.SSLCertVerificationError, socket.gaierror)


class _IdleConnectionError(TransientError):
    """A connection of an earlier request was lost before the answer began."""


class _Request(NamedTuple):
    url: str
    headers: Mapping[str, str]
    body: bytes | None


class HttpClient:
    """Sends requests from several threads and keeps connections open between them."""

    def __init__(self, limits: Limits, *, use_proxies: bool = False) -> None:
        """With `use_proxies`, requests go through the proxies that environment variables name."""
        self.stopped = threading.Event()
        self._limits, self._use_proxies = limits, use_proxies
        self._idle_seconds = min(limits.seconds, limits.stall_seconds)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx2.AsyncClient | None = None
        self._pending: set[Future[Any]] = set()

    def send(
        self,
        url: str,
        take: Callable[[HttpResponse], T],
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> T:
        """The result of `take` for the answer to a GET, or to a POST if there is a body.

        Raises TransientError, PermanentError, or Stopped after `stop`.
        """
        request = _Request(url, headers or {}, body)
        try:
            return self._exchange(request, take)
        except _IdleConnectionError:  # servers close idle connections, so the request is sent again on a new one
            return self._exchange(request, take)

    def stop(self) -> None:
        """End all requests that are in progress."""
        self.stopped.set()
        for future in tuple(self._pending):
            future.cancel()

    def close(self) -> None:
        """Close the open connections, after all threads have finished their requests."""
        with self._lock:
            if self._loop is not None and self._client is not None:
                self._close(self._client.aclose())
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = self._client = None

    def _exchange(self, request: _Request, take: Callable[[HttpResponse], T]) -> T:
        import httpx2

        self._start()
        deadline = time.monotonic() + self._limits.seconds
        new: list[str] = []
        response = None
        try:
            response = self._wait(self._open(request, new), deadline)
            return take(HttpResponse(response, self._limits, self._pieces(response.aiter_raw(), deadline)))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            fault = _fault_of(error, self._idle_seconds)
            if isinstance(fault, TransientError) and fault.kind == "connection lost" and not new and response is None:
                raise _IdleConnectionError(fault.kind, "before the answer began") from None
            raise fault from None
        finally:
            if response is not None:
                self._close(response.aclose())

    def _start(self) -> None:
        import httpx2

        with self._lock:
            if self._client is not None:
                return
            unlimited = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
            try:
                self._client = httpx2.AsyncClient(
                    verify=_trusted(), trust_env=self._use_proxies, timeout=self._idle_seconds, limits=unlimited
                )
            except (ValueError, ImportError) as error:
                reason = clip(str(error)).rstrip(".")
                raise PermanentError(f"the environment names a proxy that cannot be used: {reason}") from None
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(self._loop,), daemon=True).start()

    def _wait(self, work: Coroutine[Any, Any, T], deadline: float) -> T:
        """The result of a coroutine on the event loop; it is cancelled at the deadline, or by `stop`."""
        assert self._loop is not None
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._pending.add(future)
        try:
            if self.stopped.is_set():  # checked only now: a later stop cancels the future
                future.cancel()
            return future.result(max(0.0, deadline - time.monotonic()))
        except CancelledError:
            raise Stopped from None
        except TimeoutError:
            future.cancel()
            raise TransientError("timeout", f"no complete answer within {self._limits.seconds:g} s") from None
        finally:
            self._pending.discard(future)

    def _close(self, closing: Coroutine[Any, Any, None]) -> None:
        assert self._loop is not None
        with suppress(Exception):  # a connection that cannot be closed is dropped
            asyncio.run_coroutine_threadsafe(closing, self._loop).result(_CLOSE_SECONDS)

    def _pieces(self, body: AsyncIterator[bytes], deadline: float) -> Iterator[bytes]:
        async def following() -> bytes | None:
            return await anext(body, None)

        while (piece := self._wait(following(), deadline)) is not None:
            yield piece

    async def _open(self, request: _Request, new: list[str]) -> httpx2.Response:
        """The answer without its body; adds an entry to `new` for every connection that is opened for it."""
        import httpx2

        async def trace(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith(".connect_tcp.complete"):
                new.append(event)

        assert self._client is not None
        headers = {"User-Agent": "constraintsuite", "Accept-Encoding": "identity", **request.headers}
        method = "GET" if request.body is None else "POST"
        message = httpx2.Request(
            method, request.url, headers=headers, content=request.body, extensions={"trace": trace}
        )
        for _ in range(self._limits.redirects + 1):
            response = await self._client.send(message, stream=True)
            if sum(len(name) + len(value) for name, value in response.headers.raw) > self._limits.header_bytes:
                await response.aclose()
                raise httpx2.RemoteProtocolError(f"its headers have more than {self._limits.header_bytes:,} bytes")
            if response.next_request is None or not self._limits.redirects:
                return response
            await response.aclose()
            message = response.next_request
        raise httpx2.TooManyRedirects(f"it redirects more than {self._limits.redirects} times")


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _fault_of(error: Exception, idle_seconds: float) -> TransientError | PermanentError:
    """Our own error for one of httpx2."""
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return TransientError("timeout", f"no answer within {idle_seconds:g} s")
    cause = next((each for each in _causes(error) if isinstance(each, _NAMED_CAUSES)), None)
    if isinstance(cause, ssl.SSLCertVerificationError):
        advice = "Set SSL_CERT_FILE to your CA certificate."
        return PermanentError(f"its certificate is not trusted ({cause.verify_message})", advice)
    if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
        return PermanentError("no host of that name is known here")
    if isinstance(error, httpx2.TooManyRedirects | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return PermanentError(clip(str(error)).rstrip("."))
    if isinstance(error, httpx2.RemoteProtocolError) and not str(error).startswith(_LOST):
        return TransientError(
            "not valid HTTP", str(error).replace("Receive buffer too long", "its headers exceed the size limit")
        )
    lost = isinstance(error, httpx2.ReadError | httpx2.WriteError | httpx2.RemoteProtocolError)
    return TransientError("connection lost" if lost else "no connection", str(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__  # the connection pool drops the cause


@cache
def _trusted() -> ssl.SSLContext:
    """The certificate authorities of the system, or of SSL_CERT_FILE; loaded once, since that is slow."""
    return ssl.create_default_context()
