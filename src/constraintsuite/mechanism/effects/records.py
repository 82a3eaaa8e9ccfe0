"""What patches did to margins: as arrays while they are computed, then as rows of Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError, import_extra
from constraintsuite.core.store.files import atomic_writer

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Names = npt.NDArray[np.object_]
"""An array of strings."""

PatchDirection = Literal["denoising", "noising"]
"""Clean values put into the corrupt run (are they sufficient?), or corrupt ones into the clean run (are they necessary?)."""
DIRECTIONS: tuple[PatchDirection, ...] = get_args(PatchDirection)
AblationKind = Literal["resample", "mean", "zero"]
ABLATIONS: tuple[AblationKind, ...] = get_args(AblationKind)
EffectMethod = Literal["exact", "attribution", "ablation-resample", "ablation-mean", "ablation-zero"]
ALL = "all"
"""The role of a patch of all positions."""


@dataclass(frozen=True)
class Grid:
    """Effects of some patches on some contrasts; NaN where a contrast has no position that the patch could change."""

    contrasts: tuple[str, ...]
    patches: tuple[tuple[str, str], ...]
    """The site and role of each."""
    direction: PatchDirection
    method: EffectMethod
    margin_base: FloatArray
    """The margin of the run that is patched, before: (contrasts,)."""
    margin_donor: FloatArray
    """The margin of the run that the values come from; NaN for ablations."""
    margin_patched: FloatArray
    """The margin afterwards: (patches, contrasts)."""
    aside_base: FloatArray
    aside_patched: FloatArray


ARRAYS = ("margin_base", "margin_donor", "margin_patched", "aside_base", "aside_patched")
"""The fields of a grid that are arrays, contrasts last."""


@dataclass(frozen=True, eq=False)
class PatchEffects:
    """Rows of effects as columns of equal length."""

    contrast: Names
    site: Names
    role: Names
    direction: Names
    method: Names
    margin_base: FloatArray
    margin_donor: FloatArray
    margin_patched: FloatArray
    aside_base: FloatArray
    """The score of the unrelated pair; this and the next are NaN where there is none."""
    aside_patched: FloatArray

    def __len__(self) -> int:
        return len(self.contrast)

    @property
    def effect(self) -> FloatArray:
        """By how much the margin changed."""
        return self.margin_patched - self.margin_base

    def where(self, keep: BoolArray) -> PatchEffects:
        """The rows for which `keep` is true."""
        return PatchEffects(*(getattr(self, field.name)[keep] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[PatchEffects]) -> PatchEffects:
        """The rows of several parts, in order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def grid_rows(grid: Grid) -> PatchEffects:
    """The rows of a grid, patch by patch, without those that could change nothing."""
    keep = ~np.isnan(grid.margin_patched)
    patch, contrast = np.nonzero(keep)
    sites, roles = (np.array([each[part] for each in grid.patches], dtype=object) for part in (0, 1))
    return PatchEffects(
        np.array(grid.contrasts, dtype=object)[contrast],
        sites[patch],
        roles[patch],
        np.full(len(patch), grid.direction, dtype=object),
        np.full(len(patch), grid.method, dtype=object),
        grid.margin_base[contrast],
        grid.margin_donor[contrast],
        grid.margin_patched[keep],
        grid.aside_base[contrast],
        grid.aside_patched[keep],
    )


FOLDER = "effects"
_NAMES = ("contrast", "site", "role", "direction", "method")
_NUMBERS = tuple(field.name for field in fields(PatchEffects) if field.name not in _NAMES)
_REQUIRED = ("margin_base", "margin_patched")


def _require_pyarrow() -> tuple[Any, Any]:
    """Import pyarrow and its Parquet module; if it is missing, the error says how to install it."""
    parquet = import_extra("pyarrow.parquet", "parquet", "Writing the effect of every patch")
    return import_module("pyarrow"), parquet


def parquet_writer() -> str:
    """The library that writes the rows: another version may write other bytes."""
    _require_pyarrow()
    return f"pyarrow {version('pyarrow')}"


def part_file(folder: Path, shard: int) -> Path:
    """The file with the rows of a shard."""
    return folder / FOLDER / f"part-{shard:05d}.parquet"


def write_effects(file: Path, grids: Sequence[Grid]) -> int:
    """Write the rows of some grids to a file, which appears when it is complete; returns their number."""
    arrow, parquet = _require_pyarrow()
    rows = PatchEffects.joined([grid_rows(grid) for grid in grids])
    columns = {field.name: _column(arrow, field.name, getattr(rows, field.name)) for field in fields(rows)}
    with atomic_writer(file) as target:
        parquet.write_table(arrow.table(columns), target, compression="zstd")
    return len(rows)


def read_effects(folder: Path) -> PatchEffects:
    """All rows of an explain folder, shard by shard."""
    files = sorted((folder / FOLDER).glob("part-*.parquet"))
    if not files:
        raise UserError(f"{folder}: there are no effects here. Make them with `csuite explain`.")
    return PatchEffects.joined([read_part(file) for file in files])


def read_part(file: Path) -> PatchEffects:
    """The rows of a shard. Raises UserError if the file is missing or broken."""
    arrow, parquet = _require_pyarrow()
    try:
        table = parquet.read_table(file)
        columns: dict[str, Any] = {name: _names(table[name]) for name in _NAMES}
        columns |= {name: table[name].to_numpy().astype(np.float64) for name in _NUMBERS}
        return PatchEffects(**columns)
    except (arrow.ArrowException, OSError, KeyError) as error:
        raise UserError(f"{file}: these effects cannot be read ({error}). Run the command again.") from None


def _column(arrow: Any, name: str, values: Names) -> Any:  # noqa: ANN401
    if name in _NAMES:
        return arrow.array(values, arrow.string()).dictionary_encode()
    return arrow.array(values, arrow.float64(), from_pandas=name not in _REQUIRED)


def _names(column: Any) -> Names:  # noqa: ANN401
    """The strings of a dictionary column, each kept in memory once."""
    whole = column.combine_chunks()
    words: Names = np.array(whole.dictionary.to_pylist(), dtype=object)
    return words[whole.indices.to_numpy()] if len(words) else np.empty(0, dtype=object)
