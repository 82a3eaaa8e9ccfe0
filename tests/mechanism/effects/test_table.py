from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.effects.records import PatchEffects, part_file, read_effects, read_part, write_effects
from mechanism.effects.made import effects, grid

NAN = float("nan")
TWO = grid([[1, NAN], [0.5, 2]], base=[3, 1], donor=[-1, NAN])


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    file = part_file(tmp_path, 0)
    assert write_effects(file, [TWO, grid([[0, 0]], base=[1, 1], donor=[0, 0], direction="denoising")]) == 5
    found, wanted = read_part(file), effects(TWO, grid([[0, 0]], base=[1, 1], donor=[0, 0], direction="denoising"))
    for field in fields(PatchEffects):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(wanted, field.name))


def test_a_patch_that_could_change_nothing_is_no_row() -> None:
    rows = effects(TWO)
    assert list(zip(rows.contrast, rows.site, rows.role, strict=True)) == [
        ("c0", "L0.H0", "all"),
        ("c0", "L1.mlp", "q_cue"),
        ("c1", "L1.mlp", "q_cue"),
    ]
    assert rows.effect.tolist() == [-2, -2.5, 1]


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    write_effects(tmp_path / "one", [TWO])
    write_effects(tmp_path / "other", [TWO])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_shards_are_read_in_order(tmp_path: Path) -> None:
    for shard in (10, 2):
        write_effects(part_file(tmp_path, shard), [grid([[shard]], base=[0], donor=[0])])
    assert read_effects(tmp_path).margin_patched.tolist() == [2, 10]


@pytest.mark.parametrize("content", [b"", b"no table"])
def test_a_broken_file_is_named(content: bytes, tmp_path: Path) -> None:
    file = part_file(tmp_path, 0)
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"part-00000\.parquet: these effects cannot be read"):
        read_effects(tmp_path)


def test_a_folder_without_effects_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no effects here"):
        read_effects(tmp_path)
