"""Hashes, shards and random numbers that are the same everywhere."""

from __future__ import annotations

from collections import Counter

import pytest

from constraintsuite.core.execution.shards import keyed_random, shard_of, stable_hash


@pytest.mark.parametrize(
    ("parts", "value"),
    [
        ((), 0xE4A6A0577479B2B4),  # BLAKE2b, 8 bytes, of the empty string
        (("doc-1",), 0x56F47A285F34F541),
        (("shard", "doc-1"), 0x66612BA232B94D85),
        (("crème", "東京"), 0xEBE2A903DD6CE249),
    ],
)
def test_a_hash_never_changes(parts: tuple[str, ...], value: int) -> None:
    assert stable_hash(*parts) == value


def test_borders_between_the_parts_count() -> None:
    assert stable_hash("ab", "c") != stable_hash("a", "bc")


def test_a_lone_surrogate_has_a_hash() -> None:
    assert stable_hash("\ud800") != stable_hash("\ud801")


def test_the_shard_of_an_id_never_changes() -> None:
    assert [shard_of(f"doc-{number}", 16) for number in range(8)] == [9, 5, 3, 10, 9, 3, 6, 5]


def test_shards_are_about_equally_large() -> None:
    sizes = Counter(shard_of(f"doc-{number}", 8) for number in range(8000))
    assert sorted(sizes) == list(range(8))
    assert all(900 < size < 1100 for size in sizes.values())  # 1000 on average, standard deviation 30


def test_a_keyed_generator_repeats_itself() -> None:
    assert [keyed_random(7, "gold").random() for _ in range(2)] == [keyed_random(7, "gold").random()] * 2


def test_a_keyed_generator_is_independent_of_what_others_draw() -> None:
    expected = keyed_random(7, "gold").random()
    keyed_random(7, "audit").random()
    keyed_random(7, "gold").random()
    assert keyed_random(7, "gold").random() == expected


def test_another_seed_or_name_gives_other_numbers() -> None:
    draws = {keyed_random(seed, *names).random() for seed in (0, 1) for names in (("gold",), ("audit",), ("gold", "a"))}
    assert len(draws) == 6
