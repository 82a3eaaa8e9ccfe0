"""Rows of contrasts put together in batches, and what each place takes from the other run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.mechanism.contrasts.alignment import IntArray
from constraintsuite.mechanism.contrasts.records import ROLES, TokenRole
from constraintsuite.mechanism.contrasts.tokens import Roles, TokenContrast, TokenPair, TokenRow
from constraintsuite.models.tokenization import Padding, TokenBatch

RunName = Literal["clean", "corrupt"]
PADDED = -1
"""The role of what fills up a row."""


class Rows(NamedTuple):
    """Rows of one run: (rows, positions) each."""

    tokens: TokenBatch
    roles: Roles
    partners: IntArray
    """Position in the same row of the other run; -1 for none."""


class Stack(NamedTuple):
    """Both runs of some pairs, padded to the same width."""

    clean: Rows
    corrupt: Rows

    def run(self, name: RunName) -> Rows:
        """One of the two."""
        return self.clean if name == "clean" else self.corrupt


class TokenTransfer(NamedTuple):
    """What the places of one run take from the other.

    With activations of the donor (rows, positions, width), `weights @ activations` are the new values; they replace those
    of the receiving run where `where` is true.
    """

    weights: npt.NDArray[np.float32]
    """(rows, receiving positions, giving positions): 1 for a partner, shares of 1 for the mean over a role."""
    where: npt.NDArray[np.bool_]
    """(rows, receiving positions): false where nothing is taken over."""


def stack(pairs: Sequence[TokenPair], padding: Padding) -> Stack:
    """The pairs as arrays, filled up as the model's own batches are."""
    width = max(max(len(pair.clean), len(pair.corrupt)) for pair in pairs)
    return Stack(
        _rows([(pair.clean, pair.corrupt, pair.to_corrupt) for pair in pairs], width, padding),
        _rows([(pair.corrupt, pair.clean, pair.to_clean) for pair in pairs], width, padding),
    )


def transfer(stacked: Stack, into: RunName) -> TokenTransfer:
    """What the places of a run take: from their partner, or else the mean of the other run over their role."""
    receiving, giving = stacked.run(into), stacked.run("clean" if into == "corrupt" else "corrupt")
    shape = receiving.roles.shape
    weights = np.zeros((*shape, shape[1]), dtype=np.float32)
    rows, places = np.nonzero(receiving.partners >= 0)
    weights[rows, places, receiving.partners[rows, places]] = 1
    for row, place in zip(*np.nonzero((receiving.partners < 0) & (receiving.roles != PADDED)), strict=True):
        alike = giving.roles[row] == receiving.roles[row, place]
        if alike.any():
            weights[row, place, alike] = 1 / alike.sum()
    where = np.logical_or.reduce(weights > 0, axis=2)
    return TokenTransfer(weights, where)


def role_places(stacked: Stack, into: RunName, role: TokenRole) -> npt.NDArray[np.bool_]:
    """Places of a run that have a role, or take from one that has it: (rows, positions).

    In a swap the place of Y holds the other word in the other run; both places belong to what Y does.
    """
    number = ROLES.index(role)
    receiving, giving = stacked.run(into), stacked.run("clean" if into == "corrupt" else "corrupt")
    theirs = np.take_along_axis(giving.roles, np.maximum(receiving.partners, 0), axis=1)
    found: npt.NDArray[np.bool_] = (receiving.roles == number) | ((theirs == number) & (receiving.partners >= 0))
    return found


def buckets(
    contrasts: Sequence[TokenContrast], most_tokens: int, pairs: Sequence[Sequence[TokenPair]] | None = None
) -> Iterator[list[int]]:
    """Places of contrasts of about the same length, longest first, so that clean and corrupt rows of each bucket hold at most
    that many tokens with their padding; a contrast that alone has more is a bucket of its own.

    `pairs` are other rows of each contrast, in place of its own.
    """
    stacked = [one.pairs for one in contrasts] if pairs is None else pairs
    longest = [max(len(row) for pair in some for row in (pair.clean, pair.corrupt)) for some in stacked]
    order = sorted(range(len(contrasts)), key=lambda i: (-longest[i], i))
    bucket: list[int] = []
    rows = 0
    for place in order:
        more = 2 * len(stacked[place])
        if bucket and (rows + more) * longest[bucket[0]] > most_tokens:
            yield bucket
            bucket, rows = [], 0
        bucket.append(place)
        rows += more
    if bucket:
        yield bucket


def _rows(given: Sequence[tuple[TokenRow, TokenRow, IntArray]], width: int, padding: Padding) -> Rows:
    shape = (len(given), width)
    ids = np.full(shape, padding.token, dtype=np.int64)
    types = np.full(shape, padding.type, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    roles = np.full(shape, PADDED, dtype=np.int8)
    partners = np.full(shape, -1, dtype=np.int64)
    for i, (row, other, found) in enumerate(given):
        start, shift = (width - len(row), width - len(other)) if padding.left else (0, 0)
        here = slice(start, start + len(row))
        ids[i, here], types[i, here], roles[i, here], mask[i, here] = row.ids, row.types, row.roles, 1
        partners[i, here] = np.where(found < 0, -1, found + shift)
    return Rows(TokenBatch(ids, mask, types), roles, partners)
