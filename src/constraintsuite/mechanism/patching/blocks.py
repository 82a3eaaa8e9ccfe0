"""Some contrasts as rows of one batch, and what a patch can be aimed at in them."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.records import ROLES, TokenRole
from constraintsuite.mechanism.contrasts.stacking import PADDED, RunName, Stack, role_places, stack, transfer
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, TokenPair
from constraintsuite.mechanism.effects.records import ALL, PatchDirection
from constraintsuite.mechanism.subject import Subject, Tensors

if TYPE_CHECKING:
    import torch

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
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
    subject: Subject, contrasts: Sequence[TokenContrast], pairs: Sequence[TokenPair] | None = None
) -> ContrastBatch:
    """The contrasts as rows on the subject's device; `pairs` are other rows in place of their own, as many and in order."""
    rows = tuple(pair for contrast in contrasts for pair in contrast.pairs) if pairs is None else tuple(pairs)
    stacked = stack(rows, subject.classifier.tokenization.padding)
    inputs = {run: _inputs(subject, stacked, run) for run in OTHER}
    return ContrastBatch(tuple(contrasts), rows, stacked, inputs)


def _inputs(subject: Subject, stacked: Stack, run: RunName) -> Tensors:
    import torch

    tokens = stacked.run(run).tokens
    arrays = {"input_ids": tokens.input_ids, "attention_mask": tokens.attention_mask}
    if subject.classifier.takes_types:
        arrays["token_type_ids"] = tokens.token_type_ids
    return {name: torch.from_numpy(array).to(subject.device) for name, array in arrays.items()}


def carried(block: ContrastBatch, into: RunName, device: torch.device) -> tuple[torch.Tensor | None, torch.Tensor]:
    """What places of a run take from the other: weights (rows, receiving, giving), None if each takes from its own place,
    and where anything is taken (rows, positions)."""
    import torch

    if block.one_to_one:
        return None, torch.from_numpy(block.stacked.run(into).roles != PADDED).to(device)
    weights, where = transfer(block.stacked, into)
    return torch.from_numpy(weights).to(device), torch.from_numpy(where).to(device)
