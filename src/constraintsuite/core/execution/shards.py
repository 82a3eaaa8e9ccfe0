"""Shards and random numbers by hash of names: results do not depend on order, growth or the number of workers."""

from __future__ import annotations

import hashlib
import random


def stable_hash(*parts: str) -> int:
    """A 64-bit number that is the same on every machine and in every process."""
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def shard_of(record_id: str, shards: int) -> int:
    """The shard a record belongs to."""
    return stable_hash("shard", record_id) % shards


def keyed_random(seed: int, *names: str) -> random.Random:
    """A random generator for one purpose; generators for other purposes do not change its numbers."""
    return random.Random(stable_hash(str(seed), *names))
