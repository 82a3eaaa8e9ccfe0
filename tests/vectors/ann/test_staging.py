"""What a worker maps is what was hashed: never a file that is another by now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import Vectors
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.ann.staged_data import Staged, load_staged, stage

RNG = np.random.default_rng(0)
BASE, OTHER = (RNG.standard_normal((30, 4)).astype(np.float32) for _ in range(2))
QUERIES = RNG.standard_normal((5, 4)).astype(np.float32)
MADE = {"name": "made", "format": "synthetic", "rows": 30, "queries": 5, "dimensions": 4}


def write(folder: Path, base: Vectors) -> None:
    folder.mkdir(exist_ok=True)
    np.save(folder / "base.npy", base)
    np.save(folder / "queries.npy", QUERIES)


def staged_from(folder: Path, path: str) -> Staged:
    entry = {"name": "set", "format": "npy", "path": path, "metric": "euclidean"}
    return stage(DataEntry.model_validate(entry), folder, 3, folder / "stages")


def test_of_two_copies_the_one_that_was_named_is_mapped(tmp_path: Path) -> None:
    write(tmp_path / "a", BASE)
    write(tmp_path / "b", BASE)
    staged_from(tmp_path, "a")
    write(tmp_path / "a", OTHER)
    data, truth = load_staged(staged_from(tmp_path, "b"))
    assert np.array_equal(data.base, BASE)
    nearest = np.linalg.norm(BASE - QUERIES[0], axis=1).argmin()
    assert truth.rows[0, 0] == nearest


def test_vectors_that_change_after_they_were_hashed_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", BASE)
    staged = staged_from(tmp_path, "a")
    load_staged(staged)
    write(tmp_path / "a", OTHER)  # of the same shape and size
    with pytest.raises(UserError, match="these vectors were changed while the benchmark ran"):
        load_staged(staged)
    (tmp_path / "a" / "base.npy").unlink()
    with pytest.raises(UserError, match="these vectors were changed"):
        load_staged(staged)


@pytest.mark.parametrize("name", ["base.npy", "rest.npz"])
def test_what_an_earlier_run_left_is_not_believed_when_it_was_damaged(tmp_path: Path, name: str) -> None:
    first = stage(DataEntry.model_validate(MADE), tmp_path, 3, tmp_path / "stages")
    data, truth = load_staged(first)
    base, rows = np.array(data.base), truth.rows
    file = first.folder / name
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2] + bytes(len(content) - len(content) // 2))
    data, truth = load_staged(stage(DataEntry.model_validate(MADE), tmp_path, 3, tmp_path / "stages"))
    assert np.array_equal(data.base, base)
    assert np.array_equal(truth.rows, rows)
    assert len(data.queries) == 5


def test_whole_files_are_kept(tmp_path: Path) -> None:
    first = stage(DataEntry.model_validate(MADE), tmp_path, 3, tmp_path / "stages")
    before = {file.name: file.stat().st_mtime_ns for file in first.folder.iterdir()}
    assert stage(DataEntry.model_validate(MADE), tmp_path, 2, tmp_path / "stages") == first
    assert {file.name: file.stat().st_mtime_ns for file in first.folder.iterdir()} == before


def test_more_neighbours_than_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="made: k is 31, but there are 30 base vectors"):
        stage(DataEntry.model_validate(MADE), tmp_path, 31, tmp_path / "stages")
