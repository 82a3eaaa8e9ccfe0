"""The version of the code that arrays of models depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.models.version import ARRAYS, source_hash


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("models/dense.py", "models/onnx/pooling.py", "store/cache.py", "store/jsonl.py", "reports/html.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("edited", "another"),
    [
        ("models/dense.py", True),
        ("models/onnx/pooling.py", True),
        ("store/cache.py", True),
        ("store/jsonl.py", False),
        ("reports/html.py", False),
    ],
)
def test_an_edit_counts_where_arrays_are_made_or_kept(package: Path, edited: str, another: bool) -> None:
    before = source_hash(ARRAYS, package)
    source_hash.cache_clear()
    (package / edited).write_text("x = 2\n")
    assert (source_hash(ARRAYS, package) != before) is another


def test_a_file_that_moved_is_another_version(package: Path) -> None:
    before = source_hash(ARRAYS, package)
    source_hash.cache_clear()
    (package / "models/dense.py").rename(package / "models/sparse.py")
    assert source_hash(ARRAYS, package) != before


def test_the_package_itself_has_all_the_places() -> None:
    assert len({source_hash((place,)) for place in (*ARRAYS, "models/onnx/transformer.py", "none")}) == len(ARRAYS) + 2
