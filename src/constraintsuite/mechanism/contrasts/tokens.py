"""Contrasts as a model reads them: tokens with roles, and which token of the clean row stands for which of the corrupt one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.mechanism.contrasts.alignment import IntArray, changed_stretches, partners
from constraintsuite.mechanism.contrasts.records import (
    QUERY_ROLES,
    ROLES,
    TEXT_ROLES,
    Marked,
    MarkedContrast,
    MarkedPair,
    TokenRole,
)
from constraintsuite.models.tokenization import Tokenization

if TYPE_CHECKING:
    from tokenizers import Encoding

Roles = npt.NDArray[np.int8]
"""Places in ROLES."""
_Counter = Callable[[Marked, tuple[TokenRole, ...]], npt.NDArray[np.int32]]
_AT_ONCE = 2_048  # pairs that the tokenizer reads in one go: it keeps much more of a text than its ids
_REST = [ROLES.index(role) for role in ("cls", "q_topic", "sep1", "d_other", "sep2")]
"""Roles of what has no part in the contrast: a mean over all of it would say nothing about one place."""


@dataclass(frozen=True, eq=False)
class TokenRow:
    """A query and a text as one row, not padded."""

    ids: IntArray
    types: IntArray
    roles: Roles
    cuts: tuple[int, ...]
    """Where its five parts begin and end: special tokens, query, special tokens, text, special tokens."""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class TokenPair:
    """A clean row, the corrupt row beside it, and which place of one takes from which of the other; -1 where none is its partner.

    What has no partner takes the mean of the other row over its role; where the other row lacks the role, it is left alone.
    """

    clean: TokenRow
    corrupt: TokenRow
    to_clean: IntArray
    """For each place of the corrupt row."""
    to_corrupt: IntArray
    """For each place of the clean row."""

    @cached_property
    def one_to_one(self) -> bool:
        """Whether each place has its partner at the same place; taking all of them over gives the other run exactly."""
        places = np.arange(len(self.clean))
        return np.array_equal(self.to_clean, places) and np.array_equal(self.to_corrupt, places)


@dataclass(frozen=True, eq=False)
class TokenContrast:
    """A contrast in the tokens of one model."""

    contrast: MarkedContrast
    better: TokenPair
    worse: TokenPair
    aside: TokenPair | None

    @cached_property
    def pairs(self) -> tuple[TokenPair, ...]:
        """Better, worse, and what stands aside if there is something."""
        return (self.better, self.worse) if self.aside is None else (self.better, self.worse, self.aside)

    @cached_property
    def longest(self) -> int:
        """Tokens of its longest row."""
        return max(len(row) for pair in self.pairs for row in (pair.clean, pair.corrupt))

    @property
    def one_to_one(self) -> bool:
        """Whether every pair of the contrast is one to one."""
        return all(pair.one_to_one for pair in self.pairs)


class RejectedContrast(NamedTuple):
    """A contrast, or an example that gives none, and why."""

    id: str
    reason: str


class Tokenised(NamedTuple):
    """Contrasts that a model can be asked, and those that it cannot."""

    contrasts: tuple[TokenContrast, ...]
    rejected: tuple[RejectedContrast, ...]
    """`too_long`: what is marked is cut off. `same_tokens`: clean and corrupt are the same to the model."""


def tokenise(contrasts: Sequence[MarkedContrast], tokenization: Tokenization) -> Tokenised:
    """The contrasts in the tokens of a model; the ids are those that it is given when it scores."""
    rows = _read({pair: None for contrast in contrasts for pair in _pairs(contrast)}, tokenization)
    found: list[TokenContrast] = []
    rejected: list[RejectedContrast] = []
    for contrast in contrasts:
        got = [rows[pair] for pair in _pairs(contrast)]
        aligned = [
            align(clean, corrupt) for clean, corrupt in zip(got[::2], got[1::2], strict=True) if clean and corrupt
        ]
        if len(aligned) * 2 < len(got):
            rejected.append(RejectedContrast(contrast.id, "too_long"))
        elif all(np.array_equal(pair.clean.ids, pair.corrupt.ids) for pair in aligned[:2]):
            rejected.append(RejectedContrast(contrast.id, "same_tokens"))
        else:
            found.append(TokenContrast(contrast, aligned[0], aligned[1], aligned[2] if len(aligned) > 2 else None))
    return Tokenised(tuple(found), tuple(rejected))


def align(clean: TokenRow, corrupt: TokenRow) -> TokenPair:
    """Two rows part by part, so that a query's token never stands for a text's."""
    to_clean, to_corrupt = np.empty(len(corrupt), dtype=np.int64), np.empty(len(clean), dtype=np.int64)
    lone_clean, lone_corrupt = _lone(clean, corrupt), _lone(corrupt, clean)
    for (a, b), (c, d) in zip(pairwise(clean.cuts), pairwise(corrupt.cuts), strict=True):
        one, other = clean.ids[a:b], corrupt.ids[c:d]
        if np.array_equal(one, other):
            to_corrupt[a:b], to_clean[c:d] = np.arange(c, d), np.arange(a, b)
            continue
        stretches = changed_stretches(one.tolist(), other.tolist())
        there = partners(b - a, d - c, stretches, lone_clean[a:b])
        back = partners(d - c, b - a, [s.turned for s in stretches], lone_corrupt[c:d])
        to_corrupt[a:b] = np.where(there < 0, -1, there + c)
        to_clean[c:d] = np.where(back < 0, -1, back + a)
    return TokenPair(clean, corrupt, to_clean, to_corrupt)


def _lone(row: TokenRow, other: TokenRow) -> npt.NDArray[np.bool_]:
    """Places whose role says more of what could stand for them than their place does, and which the other row has."""
    marked = np.zeros(len(ROLES), dtype=bool)
    marked[other.roles] = True
    marked[_REST] = False
    return marked[row.roles]


def _pairs(contrast: MarkedContrast) -> list[MarkedPair]:
    """The pairs of a contrast, clean and corrupt in turn."""
    pairs = [contrast.better, contrast.better_corrupt, contrast.worse, contrast.worse_corrupt]
    if contrast.aside is not None and contrast.aside_corrupt is not None:
        pairs += [contrast.aside, contrast.aside_corrupt]
    return pairs


def _read(pairs: dict[MarkedPair, None], tokenization: Tokenization) -> dict[MarkedPair, TokenRow | None]:
    """The row of each pair, each read once; None where something marked is cut off."""
    asked = list(pairs)
    count = cache(_count)  # many pairs share a text
    rows: dict[MarkedPair, TokenRow | None] = {}
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        encodings = tokenization.encodings([(pair.query.text, pair.text.text) for pair in some])
        rows.update((pair, _row(pair, encoding, count)) for pair, encoding in zip(some, encodings, strict=True))
    return rows


def _row(pair: MarkedPair, encoding: Encoding, count: _Counter) -> TokenRow | None:
    parts = np.array([-1 if part is None else part for part in encoding.sequence_ids], dtype=np.int64)
    places = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    roles = np.full(len(parts), -1, dtype=np.int8)
    cuts = [0]
    for number, (marked, known) in enumerate(((pair.query, QUERY_ROLES), (pair.text, TEXT_ROLES))):
        mine = np.flatnonzero(parts == number)
        if not len(mine) or not _within(marked, places[mine]):
            return None
        roles[mine] = _roles(count(marked, known), known, places[mine])
        cuts += [int(mine[0]), int(mine[-1]) + 1]
    for start, end, role in ((0, cuts[1], "cls"), (cuts[2], cuts[3], "sep1"), (cuts[4], len(parts), "sep2")):
        roles[start:end] = ROLES.index(role)
    ids, types = np.array(encoding.ids, dtype=np.int64), np.array(encoding.type_ids, dtype=np.int64)
    return TokenRow(ids, types, roles, (*cuts, len(parts)))


def _within(marked: Marked, places: IntArray) -> bool:
    """Whether all marks lie in what the tokens cover."""
    first, last = int(places[:, 0].min()), int(places[:, 1].max())
    return all(first <= mark.start and mark.end <= last for mark in marked.marks)


def _roles(sums: npt.NDArray[np.int32], known: Sequence[TokenRole], places: IntArray) -> Roles:
    """The role of most of each token's characters; of equally many, a marked one. Blanks do not count."""
    covered = 2 * (sums[places[:, 1]] - sums[places[:, 0]])
    covered[:, 1:] += covered[:, 1:] > 0  # a tie is the mark's
    numbers = np.array([ROLES.index(role) for role in known], dtype=np.int8)
    roles: Roles = numbers[covered.argmax(axis=1)]
    return roles


def _count(marked: Marked, known: tuple[TokenRole, ...]) -> npt.NDArray[np.int32]:
    """How many characters of each role stand before each place of a text."""
    of_character = np.zeros(len(marked.text), dtype=np.int64)
    for mark in marked.marks:
        of_character[mark.start : mark.end] = known.index(mark.role)
    solid = np.array([not character.isspace() for character in marked.text], dtype=bool)
    counts = np.zeros((len(marked.text) + 1, len(known)), dtype=np.int32)
    counts[1:][solid, of_character[solid]] = 1
    return counts.cumsum(axis=0, dtype=np.int32)
