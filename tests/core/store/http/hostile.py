"""Servers on loopback that answer every request with bytes of a test's choice, valid HTTP or not."""

from __future__ import annotations

import gzip
import itertools
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

KEY = "sk-live-0815-very-secret-4711"
Answer = Callable[[str], Iterator[bytes]]
"""Takes the head of a request and gives the bytes to send, one packet each; then the connection is closed."""


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """The address of a server that runs until the block ends."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=serve, args=(connection,), daemon=True).start()

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                head = read_request(connection)
                for packet in answer(head):
                    connection.sendall(packet)
                    if ended.is_set():
                        break
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)  # else what was sent may be lost with the connection

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            ended.set()
            listener.shutdown(socket.SHUT_RDWR)


def read_request(connection: socket.socket) -> str:
    """The head of a request; its body is read, too."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    while length is not None and len(body) < int(length[1]):
        body += connection.recv(65_536)
    return head.decode()


def page(status: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """One answer; a Content-Length among the headers replaces the true one."""
    fields = {"Content-Length": str(len(body)), **(headers or {})}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def fixed(status: str, body: bytes = b"[]", headers: Mapping[str, str] | None = None) -> Answer:
    """The same answer to every request."""
    return lambda head: iter([page(status, body, headers)])


def endless(start: bytes, packet: bytes, pause: float = 0) -> Answer:
    """A beginning, and then the same packet for ever."""

    def answer(head: str) -> Iterator[bytes]:
        yield start
        for _ in itertools.count():
            time.sleep(pause)
            yield packet

    return answer


def echo(status: str, wrap: Callable[[str], str]) -> Answer:
    """An answer made of the key that the request carries."""
    return lambda head: iter([page(status, wrap(key_of(head)).encode())])


def key_of(head: str) -> str:
    """The key that a request carries, empty if none."""
    found = re.search(r"(?im)^authorization: \w+ (\S+)", head)
    return found[1] if found else ""


HEAD = b"HTTP/1.1 200 OK\r\n"
ZEROS = gzip.compress(bytes(1 << 20))
