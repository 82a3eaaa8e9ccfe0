"""Contrasts as rows of one batch: which position takes from which of the other run, and which positions a patch changes."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.contrasts.alignment import IntArray
from constraintsuite.mechanism.contrasts.records import ROLES, TokenRole
from constraintsuite.mechanism.contrasts.tokens import Roles, TokenContrast, TokenPair, TokenRow
from constraintsuite.mechanism.effects.records import ALL, BoolArray, EffectMethod, FloatArray, Grid, PatchDirection
from constraintsuite.mechanism.loaded_model import LoadedModel, Tensors
from constraintsuite.models.tokenization import Padding, TokenBatch

if TYPE_CHECKING:
    import torch

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
        """The rows of one of the two runs."""
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


INTO: dict[PatchDirection, RunName] = {"denoising": "corrupt", "noising": "clean"}
"""The run that is patched; what is put in comes from the other."""
OTHER: dict[RunName, RunName] = {"clean": "corrupt", "corrupt": "clean"}
POSITION = "@"
"""`@7` is the eighth token of each row."""


@dataclass(frozen=True, eq=False)
class ContrastBatch:
    """Rows of both runs: better, worse and, where there is one, the pair aside of each contrast, one contrast after the other."""

    contrasts: tuple[TokenContrast, ...]
    pairs: tuple[TokenPair, ...]
    stacked: Stack
    inputs: dict[RunName, Tensors]

    @cached_property
    def _firsts(self) -> npt.NDArray[np.int64]:
        """The row of each contrast's better pair; that of the worse one is the next."""
        counts = [len(contrast.pairs) for contrast in self.contrasts]
        return np.cumsum([0, *counts[:-1]], dtype=np.int64)

    @cached_property
    def _has_aside(self) -> BoolArray:
        return np.array([contrast.aside is not None for contrast in self.contrasts])

    @cached_property
    def one_to_one(self) -> bool:
        """Whether every place takes from the same place of the other run."""
        return all(pair.one_to_one for pair in self.pairs)

    @cached_property
    def longest(self) -> int:
        """Tokens of its longest row."""
        return max(len(row) for pair in self.pairs for row in (pair.clean, pair.corrupt))

    @cached_property
    def _numbers(self) -> dict[RunName, npt.NDArray[np.int64]]:
        """Each token's number in its row, -1 for padding."""
        filled = {run: self.stacked.run(run).roles != PADDED for run in OTHER}
        return {run: np.where(some, some.cumsum(axis=1) - 1, -1) for run, some in filled.items()}

    def margins(self, scores: FloatArray) -> FloatArray:
        """Better less worse, of scores (..., rows): (..., contrasts)."""
        difference: FloatArray = scores[..., self._firsts] - scores[..., self._firsts + 1]
        return difference

    def asides(self, scores: FloatArray) -> FloatArray:
        """Scores of the pairs aside, NaN where there is none: (..., contrasts)."""
        rows = np.where(self._has_aside, self._firsts + 2, 0)
        return np.where(self._has_aside, scores[..., rows], np.nan)

    def touches(self, places: BoolArray) -> BoolArray:
        """Whether places (..., rows, positions) lie in better or worse: (..., contrasts)."""
        rows: BoolArray = np.any(places, axis=-1)
        found: BoolArray = rows[..., self._firsts] | rows[..., self._firsts + 1]
        return found

    def touches_aside(self, places: BoolArray) -> BoolArray:
        """Whether they lie in the pair aside; false where there is none: (..., contrasts)."""
        rows: BoolArray = np.any(places, axis=-1)
        found: BoolArray = rows[..., np.where(self._has_aside, self._firsts + 2, 0)] & self._has_aside
        return found

    def grid(
        self,
        patches: Sequence[tuple[str, str]],
        kind: tuple[PatchDirection, EffectMethod],
        base: FloatArray,
        donor: FloatArray | None,
        patched: FloatArray,
        touched: BoolArray,
    ) -> Grid:
        """Effects from scores: of the run that is patched and of the donor (rows,), and with each patch (patches, rows).

        `touched` says which places each patch changes: (patches, rows, positions).
        """
        return Grid(
            tuple(contrast.contrast.id for contrast in self.contrasts),
            tuple(patches),
            *kind,
            self.margins(base),
            np.full(len(self.contrasts), np.nan) if donor is None else self.margins(donor),
            np.where(self.touches(touched), self.margins(patched), np.nan),
            self.asides(base),
            np.where(self.touches_aside(touched), self.asides(patched), np.nan),
        )

    def places(self, role: str, into: RunName) -> BoolArray:
        """Places of a run that a role names: `all`, one of ROLES, or `@7`: (rows, positions)."""
        numbers = self._numbers[into]
        if role == ALL:
            return np.greater_equal(numbers, 0)
        if role.startswith(POSITION):
            return np.equal(numbers, int(role[len(POSITION) :]))
        return role_places(self.stacked, into, checked_role(role))


def checked_role(name: str) -> TokenRole:
    """The role, which is one of ROLES."""
    for role in ROLES:
        if role == name:
            return role
    raise UserError(f"{name!r} is no role. Known: {ALL}, {', '.join(ROLES)}, and positions for residuals.")


def make_block(
    model: LoadedModel, contrasts: Sequence[TokenContrast], pairs: Sequence[TokenPair] | None = None
) -> ContrastBatch:
    """The contrasts as rows on the subject's device; `pairs` are other rows in place of their own, as many and in order."""
    rows = tuple(pair for contrast in contrasts for pair in contrast.pairs) if pairs is None else tuple(pairs)
    stacked = stack(rows, model.classifier.tokenization.padding)
    inputs = {run: model.tensors(stacked.run(run).tokens) for run in OTHER}
    return ContrastBatch(tuple(contrasts), rows, stacked, inputs)


def blocks_of(
    model: LoadedModel, contrasts: Sequence[TokenContrast], most_tokens: int
) -> Iterator[tuple[list[int], ContrastBatch]]:
    """The contrasts in blocks of at most so many tokens, each with the places of its contrasts; see `buckets`."""
    for places in buckets(contrasts, most_tokens):
        yield places, make_block(model, [contrasts[i] for i in places])


def carried(block: ContrastBatch, into: RunName, device: torch.device) -> tuple[torch.Tensor | None, torch.Tensor]:
    """What places of a run take from the other: weights (rows, receiving, giving), None if each takes from its own place,
    and where anything is taken (rows, positions)."""
    import torch

    if block.one_to_one:
        return None, torch.from_numpy(block.stacked.run(into).roles != PADDED).to(device)
    weights, where = transfer(block.stacked, into)
    return torch.from_numpy(weights).to(device), torch.from_numpy(where).to(device)
