"""Contrasts in the tokens of a model: the role of each token, and its partner in the other run."""

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
"""Indices into ROLES."""
_Counter = Callable[[Marked, tuple[TokenRole, ...]], npt.NDArray[np.int32]]
_AT_ONCE = 2_048  # pairs per call of the tokenizer, whose results are much larger than the ids
_REST = [ROLES.index(role) for role in ("cls", "q_topic", "sep1", "d_other", "sep2")]
"""Roles of tokens outside the contrast: their mean would say nothing about a single one."""


@dataclass(frozen=True, eq=False)
class TokenRow:
    """A query and a text as one row, without padding."""

    ids: IntArray
    types: IntArray
    roles: Roles
    cuts: tuple[int, ...]
    """The bounds of its five parts: special tokens, query, special tokens, text, special tokens."""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class TokenPair:
    """A clean row, its corrupt row, and the partner of each place in the other row; -1 for none.

    A place without a partner takes the mean of the other row over its role; if the other row lacks the role, nothing.
    """

    clean: TokenRow
    corrupt: TokenRow
    to_clean: IntArray
    """For each place of the corrupt row."""
    to_corrupt: IntArray
    """For each place of the clean row."""

    @cached_property
    def one_to_one(self) -> bool:
        """Whether the partner of each place is at the same place; patching all of them gives the other run exactly."""
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
        """The better and the worse pair, and the unrelated one if there is one."""
        return (self.better, self.worse) if self.aside is None else (self.better, self.worse, self.aside)

    @cached_property
    def longest(self) -> int:
        """The number of tokens of its longest row."""
        return max(len(row) for pair in self.pairs for row in (pair.clean, pair.corrupt))


def without_unrelated_pairs(contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
    """The contrasts without their unrelated pairs, which cost a third of the time."""
    return [TokenContrast(one.contrast, one.better, one.worse, None) for one in contrasts]


class RejectedContrast(NamedTuple):
    """A contrast that is left out, and why."""

    id: str
    reason: str


class Tokenised(NamedTuple):
    """Contrasts that a model can be asked, and those that are left out."""

    contrasts: tuple[TokenContrast, ...]
    rejected: tuple[RejectedContrast, ...]
    """Reasons: `too_long` (something marked is cut off), `same_tokens` (clean and corrupt have the same tokens)."""


def tokenise(contrasts: Sequence[MarkedContrast], tokenization: Tokenization) -> Tokenised:
    """Tokenise contrasts exactly as the model tokenises pairs that it scores."""
    rows = _read({pair: None for contrast in contrasts for pair in _pairs(contrast)}, tokenization)
    found: list[TokenContrast] = []
    rejected: list[RejectedContrast] = []
    for contrast in contrasts:
        got = [rows[pair] for pair in _pairs(contrast)]
        aligned = [
            _align(clean, corrupt) for clean, corrupt in zip(got[::2], got[1::2], strict=True) if clean and corrupt
        ]
        if len(aligned) * 2 < len(got):
            rejected.append(RejectedContrast(contrast.id, "too_long"))
        elif all(np.array_equal(pair.clean.ids, pair.corrupt.ids) for pair in aligned[:2]):
            rejected.append(RejectedContrast(contrast.id, "same_tokens"))
        else:
            found.append(TokenContrast(contrast, aligned[0], aligned[1], aligned[2] if len(aligned) > 2 else None))
    return Tokenised(tuple(found), tuple(rejected))


def _align(clean: TokenRow, corrupt: TokenRow) -> TokenPair:
    """Align two rows part by part, so that a token of the query is never the partner of one of the text."""
    to_clean, to_corrupt = np.empty(len(corrupt), dtype=np.int64), np.empty(len(clean), dtype=np.int64)
    lone_clean, lone_corrupt = _lone(clean, corrupt), _lone(corrupt, clean)
    for (a, b), (c, d) in zip(pairwise(clean.cuts), pairwise(corrupt.cuts), strict=True):
        one, other = clean.ids[a:b], corrupt.ids[c:d]
        if np.array_equal(one, other):
            to_corrupt[a:b], to_clean[c:d] = np.arange(c, d), np.arange(a, b)
            continue
        stretches = changed_stretches(one.tolist(), other.tolist())
        there = partners(b - a, stretches, lone_clean[a:b])
        back = partners(d - c, [s.turned for s in stretches], lone_corrupt[c:d])
        to_corrupt[a:b] = np.where(there < 0, -1, there + c)
        to_clean[c:d] = np.where(back < 0, -1, back + a)
    return TokenPair(clean, corrupt, to_clean, to_corrupt)


def _lone(row: TokenRow, other: TokenRow) -> npt.NDArray[np.bool_]:
    """Places with a role inside the contrast that the other row has too: the mean over the role is better than a partner there."""
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
    """The row of each distinct pair; None if something marked is cut off."""
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
    """Whether the tokens cover all marks."""
    first, last = int(places[:, 0].min()), int(places[:, 1].max())
    return all(first <= mark.start and mark.end <= last for mark in marked.marks)


def _roles(sums: npt.NDArray[np.int32], known: Sequence[TokenRole], places: IntArray) -> Roles:
    """The role of most characters of each token, without blanks; a tie goes to the marked role."""
    covered = 2 * (sums[places[:, 1]] - sums[places[:, 0]])
    covered[:, 1:] += covered[:, 1:] > 0  # breaks ties
    numbers = np.array([ROLES.index(role) for role in known], dtype=np.int8)
    roles: Roles = numbers[covered.argmax(axis=1)]
    return roles


def _count(marked: Marked, known: tuple[TokenRole, ...]) -> npt.NDArray[np.int32]:
    """The number of characters of each role before each place of a text."""
    of_character = np.zeros(len(marked.text), dtype=np.int64)
    for mark in marked.marks:
        of_character[mark.start : mark.end] = known.index(mark.role)
    solid = np.array([not character.isspace() for character in marked.text], dtype=bool)
    counts = np.zeros((len(marked.text) + 1, len(known)), dtype=np.int32)
    counts[1:][solid, of_character[solid]] = 1
    return counts.cumsum(axis=0, dtype=np.int32)
