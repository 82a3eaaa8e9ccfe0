"""A set of digests at little more than their own size; one of Python's takes about 100 bytes for each."""

from __future__ import annotations

import hashlib

SIZE = 16
_BUCKETS = 1 << 16  # named by the first two bytes, which are not kept


class DigestSet:
    """Which texts have been there; two are taken for one if 128 bits of their hashes are equal."""

    def __init__(self) -> None:
        self._buckets = [bytearray() for _ in range(_BUCKETS)]

    def add(self, digest: bytes) -> None:
        """Put in one that is not there yet."""
        self._buckets[int.from_bytes(digest[:2])] += digest[2:]

    def __contains__(self, digest: bytes) -> bool:
        bucket, rest = self._buckets[int.from_bytes(digest[:2])], digest[2:]
        at = bucket.find(rest)
        while at > 0 and at % len(rest):  # the end of one digest and the beginning of the next
            at = bucket.find(rest, at + 1)
        return at >= 0


def digest_of(text: str) -> bytes:
    """The digest of a short text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()
