"""The first pass over a corpus: eight bytes are kept of each document, its key."""

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
"""(documents, 2): sixteen bytes that equal texts share."""
_AT_ONCE = 8_192


@dataclass(frozen=True)
class Survey:
    """What is known of a corpus after one pass."""

    keys: SamplingKeys  # (documents,) by position in the source
    found: dict[str, int]
    """Position of each wanted document that is there."""
    ids: Callable[[], Iterable[str]]
    """All ids once more, for the rare case that two keys are equal."""

    def __len__(self) -> int:
        return len(self.keys)

    def in_order(self, positions: Positions) -> Positions:
        """The positions by key, and by id where two keys are equal; an id that is there twice is a UserError."""
        ordered = positions[np.argsort(self.keys[positions])]
        keys = self.keys[ordered]
        shared = keys[1:] == keys[:-1]
        if not shared.any():
            return ordered
        behind = self._behind(ordered[np.isin(keys, keys[1:][shared])])
        ties = np.array([behind.get(position, 0) for position in ordered.tolist()], dtype=np.int64)
        return ordered[np.lexsort((ties, keys))]

    def refuse_repeated_ids(self) -> None:
        """A UserError if an id stands anywhere in the corpus twice."""
        ordered = np.sort(self.keys)
        shared = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(shared):
            self.in_order(np.flatnonzero(np.isin(self.keys, shared)))

    def _behind(self, tied: Positions) -> dict[int, int]:
        """How many of the ids with the same key come before the one at each position.

        Almost always a repeated id: two of nine million different ones share a key once in half a million corpora.
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
    """Read all ids once, make their keys, and note where the wanted ones are."""
    found: dict[str, int] = {}
    keys = bytearray()  # grows in place, where a list of arrays would be in memory twice when they are joined
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
        f"The id {name!r} stands at documents {first + 1:,} and {second + 1:,} of the source. Ids must be unique: remove "
        "one, or choose another field with --id-field."
    )


SamplingKeys = npt.NDArray[np.uint64]
KeyRole = Literal["corpus", "query"]
_VERSION = "csuite.sample.v1"
_BORDER = "\x1f"


@dataclass(frozen=True)
class KeyMaker:
    """Makes the keys of one role in one namespace with one seed."""

    role: KeyRole
    namespace: str
    seed: str

    def __call__(self, ids: Sequence[str]) -> SamplingKeys:
        """The key of each id."""
        start = _BORDER.join((_VERSION, self.role, self.namespace, self.seed, ""))
        begun = blake2b(start.encode(), digest_size=8)

        def digest(name: str) -> bytes:
            own = begun.copy()  # twice as fast as hashing the beginning again
            own.update(name.encode())
            return own.digest()

        return np.frombuffer(b"".join([digest(name) for name in ids]), dtype=">u8").astype(np.uint64)


def passage(title: str, text: str) -> str:
    """Title and text as one, as everywhere in the product."""
    return f"{title} {text}".strip()


def text_hash(text: str) -> bytes:
    """Sixteen bytes that equal texts share."""
    return sha256(text.encode()).digest()[:16]
