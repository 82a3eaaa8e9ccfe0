from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from constraintsuite.core.store.cache import ArrayCache
from constraintsuite.core.store.files import sha256_text

ONE, TWO = sha256_text("one"), sha256_text("two")


@given(
    array=st.sampled_from([np.float32, np.float64]).flatmap(
        lambda kind: arrays(kind, array_shapes(max_dims=3, max_side=4))
    )
)
def test_what_was_put_is_there_for_the_next_process(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray
) -> None:
    file = tmp_path_factory.mktemp("cache") / "scores" / "a.bin"
    ArrayCache(file).put(ONE, array)
    found = ArrayCache(file).get(ONE)
    assert found is not None
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_a_key_that_was_never_put_is_not_there(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path / "a.bin")
    cache.put(ONE, np.zeros(3))
    assert cache.get(ONE) is not None
    assert cache.get(TWO) is None


@pytest.mark.parametrize("cut", [1, 7, 40, 60])
def test_a_record_that_a_crash_cut_short_is_dropped_and_written_over(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "a.bin"
    cache = ArrayCache(file)
    cache.put(ONE, np.arange(4.0))
    whole = file.stat().st_size
    cache.put(TWO, np.arange(8.0))
    with file.open("r+b") as handle:
        handle.truncate(whole + cut)
    after = ArrayCache(file)
    assert after.get(TWO) is None
    after.put(TWO, np.arange(2.0))
    again = ArrayCache(file)
    np.testing.assert_array_equal(again.get(ONE), np.arange(4.0))
    np.testing.assert_array_equal(again.get(TWO), np.arange(2.0))


def test_damaged_bytes_are_not_handed_out(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    ArrayCache(file).put(ONE, np.arange(4.0))
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)
    assert ArrayCache(file).get(ONE) is None


def test_two_that_write_at_once_do_not_lose_each_others_records(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    first, second = ArrayCache(file), ArrayCache(file)
    first.put(ONE, np.zeros(2))
    second.put(TWO, np.ones(3))
    first.put(sha256_text("three"), np.ones(1))
    assert all(ArrayCache(file).get(key) is not None for key in (ONE, TWO, sha256_text("three")))
