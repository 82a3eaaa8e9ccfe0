"""Contrasts as rows of one batch: which position takes its value from which of the other run, and which ones a patch changes."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.contrasts.alignment import IntArray
from constraintsuite.mechanism.contrasts.records import ROLES
from constraintsuite.mechanism.contrasts.tokens import Roles, TokenContrast, TokenPair, TokenRow
from constraintsuite.mechanism.effects.records import (
    ALL,
    ARRAYS,
    BoolArray,
    EffectMethod,
    FloatArray,
    Grid,
    PatchDirection,
)
from constraintsuite.mechanism.loaded_model import LoadedModel, Tensors
from constraintsuite.models.tokenization import Padding, TokenBatch

if TYPE_CHECKING:
    import torch

RunName = Literal["clean", "corrupt"]
OTHER: dict[RunName, RunName] = {"clean": "corrupt", "corrupt": "clean"}
INTO: dict[PatchDirection, RunName] = {"denoising": "corrupt", "noising": "clean"}
"""The run that is patched; the values come from the other one."""
PADDED = -1
"""The role of padding."""
POSITION = "@"
"""`@7` is the eighth token of each row."""


class Rows(NamedTuple):
    """Rows of one run: (rows, positions) each."""

    tokens: TokenBatch
    roles: Roles
    partners: IntArray
    """Position in the same row of the other run; -1 for none."""


Stack = Mapping[RunName, Rows]
"""Both runs of some pairs, padded to the same width."""


def stack(pairs: Sequence[TokenPair], padding: Padding) -> Stack:
    """The pairs as arrays, padded as the model pads its own batches."""
    width = max(max(len(pair.clean), len(pair.corrupt)) for pair in pairs)
    return {
        "clean": _pad([(pair.clean, pair.corrupt, pair.to_corrupt) for pair in pairs], width, padding),
        "corrupt": _pad([(pair.corrupt, pair.clean, pair.to_clean) for pair in pairs], width, padding),
    }


def transfer(stacked: Stack, into: RunName) -> tuple[npt.NDArray[np.float32], BoolArray]:
    """What positions of a run take from the other: the value of their partner, or else the mean over their role.

    Returns weights (rows, receiving positions, giving positions), so that `weights @ activations` are the new values, and
    where there are any: (rows, receiving positions).
    """
    receiving, giving = stacked[into], stacked[OTHER[into]]
    shape = receiving.roles.shape
    weights = np.zeros((*shape, shape[1]), dtype=np.float32)
    rows, places = np.nonzero(receiving.partners >= 0)
    weights[rows, places, receiving.partners[rows, places]] = 1
    for row, place in zip(*np.nonzero((receiving.partners < 0) & (receiving.roles != PADDED)), strict=True):
        alike = giving.roles[row] == receiving.roles[row, place]
        if alike.any():
            weights[row, place, alike] = 1 / alike.sum()
    return weights, np.logical_or.reduce(weights > 0, axis=2)


def role_places(stacked: Stack, into: RunName, role: str) -> BoolArray:
    """Positions of a run that have a role, or whose partner has it: (rows, positions).

    Where a word is replaced by Y, both positions belong to what Y does.
    """
    if role not in ROLES:
        raise UserError(f"{role!r} is not a role. Known: {ALL}, {', '.join(ROLES)}, and positions for residuals.")
    number = ROLES.index(role)
    receiving, giving = stacked[into], stacked[OTHER[into]]
    theirs = np.take_along_axis(giving.roles, np.maximum(receiving.partners, 0), axis=1)
    found: BoolArray = (receiving.roles == number) | ((theirs == number) & (receiving.partners >= 0))
    return found


def buckets(
    contrasts: Sequence[TokenContrast], most_tokens: int, pairs: Sequence[Sequence[TokenPair]] | None = None
) -> Iterator[list[int]]:
    """Divide contrasts into buckets of similar length, the longest first, and return the places of each bucket.

    Clean and corrupt rows of a bucket have at most `most_tokens` tokens with their padding; a contrast that alone has more
    is a bucket of its own. `pairs` are rows to use for each contrast instead of its own.
    """
    stacked = [one.pairs for one in contrasts] if pairs is None else pairs
    longest = [max(len(row) for pair in some for row in (pair.clean, pair.corrupt)) for some in stacked]
    bucket: list[int] = []
    rows = 0
    for place in sorted(range(len(contrasts)), key=lambda i: (-longest[i], i)):
        more = 2 * len(stacked[place])
        if bucket and (rows + more) * longest[bucket[0]] > most_tokens:
            yield bucket
            bucket, rows = [], 0
        bucket.append(place)
        rows += more
    if bucket:
        yield bucket


def _pad(given: Sequence[tuple[TokenRow, TokenRow, IntArray]], width: int, padding: Padding) -> Rows:
    """Rows of one run, each given with its row of the other run and its partners there."""
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


@dataclass(frozen=True, eq=False)
class ContrastBatch:
    """Rows of both runs on the device of a model: of each contrast the better, the worse and, if any, the unrelated pair."""

    model: LoadedModel
    contrasts: tuple[TokenContrast, ...]
    pairs: tuple[TokenPair, ...]
    stacked: Stack
    inputs: dict[RunName, Tensors]

    @cached_property
    def _firsts(self) -> IntArray:
        """The row of each contrast's better pair; the row of the worse one is the next."""
        counts = [len(contrast.pairs) for contrast in self.contrasts]
        return np.cumsum([0, *counts[:-1]], dtype=np.int64)

    @cached_property
    def _has_aside(self) -> BoolArray:
        return np.array([contrast.aside is not None for contrast in self.contrasts])

    @cached_property
    def _asides(self) -> IntArray:
        """The row of each contrast's unrelated pair; 0 where there is none."""
        return np.where(self._has_aside, self._firsts + 2, 0)

    def touches(self, places: BoolArray) -> BoolArray:
        """Whether positions (..., rows, positions) are in the better or worse row: (..., contrasts)."""
        rows = np.any(places, axis=-1)
        found: BoolArray = rows[..., self._firsts] | rows[..., self._firsts + 1]
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
        """Effects from scores: of the patched run and of the donor (rows,), and with each patch (patches, rows).

        `touched` says which positions each patch changes: (patches, rows, positions).
        """
        touches_aside = np.any(touched, axis=-1)[..., self._asides]
        return Grid(
            tuple(contrast.contrast.id for contrast in self.contrasts),
            tuple(patches),
            *kind,
            self._margins(base),
            np.full(len(self.contrasts), np.nan) if donor is None else self._margins(donor),
            np.where(self.touches(touched), self._margins(patched), np.nan),
            np.where(self._has_aside, base[..., self._asides], np.nan),
            np.where(self._has_aside & touches_aside, patched[..., self._asides], np.nan),
        )

    def places(self, role: str, into: RunName) -> BoolArray:
        """Positions of a run that a role names: `all`, one of ROLES, or `@7`: (rows, positions)."""
        filled: BoolArray = self.stacked[into].roles != PADDED
        if role == ALL:
            return filled
        if role.startswith(POSITION):
            numbers = np.where(filled, filled.cumsum(axis=1) - 1, -1)
            return np.equal(numbers, int(role[len(POSITION) :]))
        return role_places(self.stacked, into, role)

    def _margins(self, scores: FloatArray) -> FloatArray:
        """Better minus worse, of scores (..., rows): (..., contrasts)."""
        return scores[..., self._firsts] - scores[..., self._firsts + 1]


def make_block(
    model: LoadedModel, contrasts: Sequence[TokenContrast], pairs: Sequence[TokenPair] | None = None
) -> ContrastBatch:
    """The contrasts as rows on the model's device; `pairs` are rows to use instead of their own, in the same order."""
    rows = tuple(pair for contrast in contrasts for pair in contrast.pairs) if pairs is None else tuple(pairs)
    stacked = stack(rows, model.classifier.tokenization.padding)
    inputs = {run: model.tensors(some.tokens) for run, some in stacked.items()}
    return ContrastBatch(model, tuple(contrasts), rows, stacked, inputs)


def make_blocks(
    model: LoadedModel, contrasts: Sequence[TokenContrast], most_tokens: int
) -> Iterator[tuple[list[int], ContrastBatch]]:
    """The contrasts in blocks of at most `most_tokens` tokens, each with the places of its contrasts; see `buckets`."""
    for places in buckets(contrasts, most_tokens):
        yield places, make_block(model, [contrasts[i] for i in places])


def transfer_tensors(block: ContrastBatch, into: RunName) -> tuple[torch.Tensor | None, torch.Tensor]:
    """`transfer` as tensors; the weights are None if every position takes the value of the same position."""
    import torch

    device = block.model.device
    if all(pair.one_to_one for pair in block.pairs):
        return None, torch.from_numpy(block.stacked[into].roles != PADDED).to(device)
    weights, where = transfer(block.stacked, into)
    return torch.from_numpy(weights).to(device), torch.from_numpy(where).to(device)


def join_grids(parts: Sequence[tuple[Sequence[int], Sequence[Grid]]]) -> list[Grid]:
    """Join the grids of several blocks, given with the places of their contrasts, which are in order again afterwards."""
    order = np.argsort(np.concatenate([places for places, _ in parts]))
    joined = []
    for grids in zip(*(grids for _, grids in parts), strict=True):
        names = [name for grid in grids for name in grid.contrasts]
        arrays = {name: np.concatenate([getattr(grid, name) for grid in grids], axis=-1)[..., order] for name in ARRAYS}
        joined.append(replace(grids[0], contrasts=tuple(names[i] for i in order), **arrays))
    return joined
