"""What is sent, what comes back, and how much of it is taken."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from constraintsuite.core.store.http.errors import LastingFault, PassingFault, TooLarge, clip

if TYPE_CHECKING:
    import httpx2

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
class HttpRequest:
    """What is sent; a `body` makes it a POST."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class Incoming:
    """An answer whose headers are here and whose body is still to come."""

    def __init__(self, response: httpx2.Response, limits: Limits, body: Iterator[bytes]) -> None:
        self.status, self.reason = response.status_code, response.reason_phrase
        self.headers: Mapping[str, str] = response.headers
        self._limits, self._body = limits, body

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
        for piece in self._body:
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
            for piece in self._body:
                data += piece
                if len(data) >= size:
                    break
        return bytes(data[:size])

    def _refuse_large(self, size: int) -> None:
        if size > self._limits.body_bytes:
            raise TooLarge(f"the answer has more than {self._limits.body_bytes:,} bytes, which is the limit")
