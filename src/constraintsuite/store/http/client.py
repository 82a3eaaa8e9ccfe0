"""Requests with limits: of the total time, the bytes of headers and body, the redirects, and the slowest speed.

httpx2 bounds the time between two bytes; a server that sends a byte now and then would keep us for ever. So a thread watches
the connections, and cuts one when the time of its request is over. Bodies are never decompressed, since none is asked for
compressed: a small one cannot become a large one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from constraintsuite.store.http.connection import Connection, IdleConnectionLost
from constraintsuite.store.http.messages import HttpRequest, Incoming, Limits

T = TypeVar("T")
_TICK_SECONDS = 0.05
"""How often connections are looked at; a request may take so much longer than its limit."""


class HttpClient:
    """Sends requests from several threads; each thread keeps its own connection open."""

    def __init__(self, limits: Limits, *, use_proxies: bool = False) -> None:
        """`use_proxies`: whether the proxies that the environment names are used."""
        self.stopped = threading.Event()
        self._limits, self._use_proxies = limits, use_proxies
        self._lock = threading.Lock()
        self._reset()

    def send(self, request: HttpRequest, take: Callable[[Incoming], T]) -> T:
        """What `take` makes of the answer. Raises PassingFault, LastingFault, or Stopped after `stop`."""
        connection: Connection | None = getattr(self._mine, "connection", None)
        if connection is None:
            connection = self._mine.connection = self._new_connection()
        try:
            return connection.exchange(request, take)
        except IdleConnectionLost:  # servers close connections that idle: only a new one says something
            return connection.exchange(request, take)

    def stop(self) -> None:
        """End all requests that are in progress."""
        self.stopped.set()
        for connection in self._connections:
            connection.cut()

    def close(self) -> None:
        """Close the connections that the threads, which have ended, left open."""
        with self._lock:
            self._closed.set()
            for connection in self._connections:
                connection.close()
            self._reset()

    def _reset(self) -> None:
        self._mine = threading.local()
        self._connections: list[Connection] = []
        self._closed = threading.Event()

    def _new_connection(self) -> Connection:
        connection = Connection(self._limits, self._use_proxies, self.stopped)
        with self._lock:
            if not self._connections:
                threading.Thread(target=_watch, args=(self._connections, self._closed), daemon=True).start()
            self._connections.append(connection)
        return connection


def _watch(connections: list[Connection], closed: threading.Event) -> None:
    """Cut each connection whose request takes too long, until all are closed."""
    while not closed.wait(_TICK_SECONDS):
        for connection in tuple(connections):
            connection.cut_if_late()
