"""The keys of all documents of a corpus, eight bytes each, and the hashes of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from itertools import islice
from typing import Literal

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError

Positions = npt.NDArray[np.int64]
TextHashes = npt.NDArray[np.uint64]
"""(documents, 2): sixteen bytes per text, the same for equal texts."""
_AT_ONCE = 8_192


@dataclass(frozen=True)
class Survey:
    """The keys of all documents, and the positions of some."""

    keys: SamplingKeys  # (documents,) by position in the source
    found: dict[str, int]
    """Positions of the wanted documents that the source has."""
    ids: Callable[[], Iterable[str]]
    """Reads all ids again, for the rare case that two keys are equal."""

    def __len__(self) -> int:
        return len(self.keys)

    def in_order(self, positions: Positions) -> Positions:
        """The positions sorted by key, then by id. Raises UserError if an id is repeated."""
        ordered = positions[np.argsort(self.keys[positions])]
        keys = self.keys[ordered]
        shared = keys[1:] == keys[:-1]
        if not shared.any():
            return ordered
        ranks = self._rank_ties(ordered[np.isin(keys, keys[1:][shared])])
        ties = np.array([ranks.get(position, 0) for position in ordered.tolist()], dtype=np.int64)
        return ordered[np.lexsort((ties, keys))]

    def refuse_repeated_ids(self) -> None:
        """Raise a UserError if an id occurs twice in the corpus."""
        ordered = np.sort(self.keys)
        shared = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(shared):
            self.in_order(np.flatnonzero(np.isin(self.keys, shared)))

    def _rank_ties(self, tied: Positions) -> dict[int, int]:
        """For each position, how many ids with the same key are smaller.

        Equal keys almost always mean a repeated id: two of nine million different ids share a key once in half a million
        corpora.
        """
        wanted = set(tied.tolist())
        groups: dict[int, dict[str, int]] = {}
        for position, name in enumerate(self.ids()):
            if position in wanted:
                group = groups.setdefault(int(self.keys[position]), {})
                if name in group:
                    raise _repeated(name, group[name], position)
                group[name] = position
        return {group[name]: before for group in groups.values() for before, name in enumerate(sorted(group))}


def survey(
    ids: Callable[[], Iterable[str]],
    make_keys: Callable[[Sequence[str]], SamplingKeys],
    wanted: frozenset[str] = frozenset(),
    advance: Callable[[int], None] = lambda items: None,
) -> Survey:
    """Read all ids once, compute their keys, and note the positions of the wanted ones."""
    found: dict[str, int] = {}
    keys = bytearray()  # grows in place; joining a list of arrays would need twice the memory
    start, iterator = 0, iter(ids())
    while block := list(islice(iterator, _AT_ONCE)):
        for position, name in enumerate(block, start):
            if name in wanted and found.setdefault(name, position) != position:
                raise _repeated(name, found[name], position)
        keys += make_keys(block).tobytes()
        start += len(block)
        advance(len(block))
    return Survey(np.frombuffer(keys, dtype=np.uint64), found, ids)


def _repeated(name: str, first: int, second: int) -> UserError:
    return UserError(
        f"The id {name!r} occurs at documents {first + 1:,} and {second + 1:,} of the source. Ids must be unique: remove "
        "one, or choose another field with --id-field."
    )


SamplingKeys = npt.NDArray[np.uint64]
KeyRole = Literal["corpus", "query"]
_VERSION = "csuite.sample.v1"
_BORDER = "\x1f"


@dataclass(frozen=True)
class KeyMaker:
    """Computes the keys of ids for one role, namespace and seed."""

    role: KeyRole
    namespace: str
    seed: str

    def __call__(self, ids: Sequence[str]) -> SamplingKeys:
        """The key of each id."""
        start = _BORDER.join((_VERSION, self.role, self.namespace, self.seed, ""))
        prefix = blake2b(start.encode(), digest_size=8)

        def digest(name: str) -> bytes:
            own = prefix.copy()  # twice as fast as hashing the prefix again
            own.update(name.encode())
            return own.digest()

        return np.frombuffer(b"".join([digest(name) for name in ids]), dtype=">u8").astype(np.uint64)


def text_hash(text: str) -> bytes:
    """Sixteen bytes that are the same for equal texts."""
    return sha256(text.encode()).digest()[:16]
