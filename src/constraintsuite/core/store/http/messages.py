"""An answer of a server, and the limits within which it is read."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from constraintsuite.core.store.http.errors import PermanentError, TooLargeError, TransientError, clip

if TYPE_CHECKING:
    import httpx2

MAX_BODY_BYTES = 64 << 20
MAX_HEADER_BYTES = 64 << 10


@dataclass(frozen=True)
class Limits:
    """The limits of one request; it ends with an error when a server exceeds one."""

    seconds: float = 60.0
    """From looking up the host name to the last byte of the body."""
    body_bytes: int = MAX_BODY_BYTES
    header_bytes: int = MAX_HEADER_BYTES
    redirects: int = 0
    """How many are followed; with 0, a redirect is returned as the answer."""
    stall_seconds: float = math.inf
    """The longest time without a byte, for requests that may take many `seconds`."""
    bytes_per_second: float = 0.0
    """The slowest mean speed of a body, measured after `stall_seconds`."""


class HttpResponse:
    """An answer whose headers have arrived; its body is read from `chunks`."""

    def __init__(self, response: httpx2.Response, limits: Limits, body: Iterator[bytes]) -> None:
        self.status, self.reason = response.status_code, response.reason_phrase
        self.headers: Mapping[str, str] = response.headers
        self._limits, self._body = limits, body

    @property
    def length(self) -> int | None:
        """The bytes of the body, None if the server does not say."""
        found = self.headers.get("Content-Length")
        return None if found is None else int(found)

    def chunks(self) -> Iterator[bytes]:
        """The body piece by piece; a compressed or too large one is a PermanentError, a too slow one a TransientError."""
        encoding = self.headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            raise PermanentError(
                f"the answer is compressed ({clip(encoding)[:40]}), which was not asked for",
                "Turn compression off in the server, or in the proxy before it.",
            )
        self._refuse_large(self.length or 0)
        received, start = 0, time.monotonic()
        for piece in self._body:
            received += len(piece)
            self._refuse_large(received)
            seconds = time.monotonic() - start
            if seconds > self._limits.stall_seconds and received < seconds * self._limits.bytes_per_second:
                raise TransientError("too slow", f"{received:,} bytes in {seconds:.0f} s")
            yield piece

    def read_start(self, size: int) -> bytes:
        """The first bytes of the body, for error pages; empty if it is compressed."""
        data = bytearray()
        if "Content-Encoding" not in self.headers:
            for piece in self._body:
                data += piece
                if len(data) >= size:
                    break
        return bytes(data[:size])

    def _refuse_large(self, size: int) -> None:
        if size > self._limits.body_bytes:
            raise TooLargeError(f"the answer has more than {self._limits.body_bytes:,} bytes, which is the limit")
