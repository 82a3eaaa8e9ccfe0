"""Effects in Parquet: one file a shard of contrasts, the same bytes for the same rows under one version of pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from constraintsuite.errors import MissingExtraError, UserError
from constraintsuite.mechanism.effects.records import Grid, Names, PatchEffects, rows_of
from constraintsuite.store.files import atomic_writer

FOLDER = "effects"
_NAMES = ("contrast", "site", "role", "direction", "method")
_NUMBERS = tuple(field.name for field in fields(PatchEffects) if field.name not in _NAMES)
_REQUIRED = ("margin_base", "margin_patched")


def require_pyarrow() -> tuple[Any, Any]:
    """The library and its part for Parquet, or the command that installs it."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("parquet", "Keeping what every patch did") from None


def writer() -> str:
    """Who packs the rows: another version may make other bytes of the same."""
    require_pyarrow()
    return f"pyarrow {version('pyarrow')}"


def part_file(folder: Path, shard: int) -> Path:
    """The file of a shard's rows."""
    return folder / FOLDER / f"part-{shard:05d}.parquet"


def write_effects(file: Path, grids: Sequence[Grid]) -> int:
    """The rows of some grids in a file that appears whole; gives how many there are."""
    arrow, parquet = require_pyarrow()
    rows = PatchEffects.joined([rows_of(grid) for grid in grids])
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
    """The rows of a shard; a file that is missing, cut or another is a UserError."""
    arrow, parquet = require_pyarrow()
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
    """Strings, each kept once."""
    whole = column.combine_chunks()
    words: Names = np.array(whole.dictionary.to_pylist(), dtype=object)
    names: Names = words[whole.indices.to_numpy()] if len(words) else np.empty(0, dtype=object)
    return names
