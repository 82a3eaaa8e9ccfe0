"""The first pass over a corpus: eight bytes are kept of each document, its key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.vectors.keys import Keys

Positions = npt.NDArray[np.int64]
_AT_ONCE = 8_192


@dataclass(frozen=True)
class Survey:
    """What is known of a corpus after one pass."""

    keys: Keys  # (documents,) by position in the source
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
        keys = np.sort(self.keys)
        shared = keys[1:][keys[1:] == keys[:-1]]
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
    make_keys: Callable[[Sequence[str]], Keys],
    wanted: frozenset[str] = frozenset(),
    advance: Callable[[int], None] = lambda items: None,
) -> Survey:
    """Read all ids once, make their keys, and note where the wanted ones are."""
    found: dict[str, int] = {}
    keys = bytearray()  # grows in place, where a list of arrays would be in memory twice when they are joined
    start = 0
    for block in _blocks(ids()):
        if not wanted.isdisjoint(block):
            _note(found, wanted, block, start)
        keys += make_keys(block).tobytes()
        start += len(block)
        advance(len(block))
    return Survey(np.frombuffer(keys, dtype=np.uint64), found, ids)


def _note(found: dict[str, int], wanted: frozenset[str], block: Sequence[str], start: int) -> None:
    for place, name in enumerate(block):
        if name in wanted and found.setdefault(name, start + place) != start + place:
            raise _repeated(name, found[name], start + place)


def _blocks(ids: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(ids)
    while block := list(islice(iterator, _AT_ONCE)):
        yield block


def _repeated(name: str, first: int, second: int) -> UserError:
    return UserError(
        f"The id {name!r} stands at documents {first + 1:,} and {second + 1:,} of the source. Ids must be unique: remove "
        "one, or choose another field with --id-field."
    )
