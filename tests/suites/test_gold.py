"""The sample for people to judge."""

from __future__ import annotations

from collections import Counter

from constraintsuite.core.records.examples import EXPLICIT, MINPAIRS, OMISSION, Example
from constraintsuite.suites.stages.gold import sample_gold
from suites.build_factory import make_example

LEVELS = ("easy", "medium", "hard")
SLICES = (MINPAIRS, EXPLICIT, OMISSION)


def suite(counts: dict[str, int]) -> list[Example]:
    """`counts` examples of each difficulty in each of the three slices."""
    return [
        make_example(1000 * LEVELS.index(level) + number, slice=name, difficulty=level)
        for name in SLICES
        for level, count in counts.items()
        for number in range(count)
    ]


PLENTY = suite({"easy": 40, "medium": 40, "hard": 40})


def test_the_mix_of_difficulties_is_15_35_50() -> None:
    found = sample_gold(PLENTY, 100, seed=0)
    drawn = Counter(example.tags["difficulty"] for example in found)
    assert all(abs(drawn[level] - share) <= 1 for level, share in {"easy": 15, "medium": 35, "hard": 50}.items())


def test_a_slice_that_alone_is_hard_does_not_take_the_places_of_the_others() -> None:
    mixed = [make_example(n, slice=EXPLICIT, difficulty="easy") for n in range(40)]
    mixed += [make_example(100 + n, slice=OMISSION, difficulty="hard") for n in range(40)]
    assert Counter(example.slice for example in sample_gold(mixed, 50, seed=0)) == {EXPLICIT: 25, OMISSION: 25}


def test_slices_take_turns_however_large_they_are() -> None:
    sizes = dict(zip(SLICES, (30, 30, 300), strict=True))
    uneven = [make_example(n, slice=name, difficulty="hard") for name, size in sizes.items() for n in range(size)]
    assert set(Counter(example.slice for example in sample_gold(uneven, 60, seed=0)).values()) == {20}


def test_what_a_stratum_lacks_is_taken_from_the_others() -> None:
    found = sample_gold(suite({"easy": 40, "medium": 40, "hard": 2}), 100, seed=0)
    assert len(found) == 100
    assert Counter(example.tags["difficulty"] for example in found)["hard"] == 6


def test_a_small_suite_is_taken_whole() -> None:
    small = suite({"easy": 1, "medium": 1})
    assert {example.id for example in sample_gold(small, 50, seed=0)} == {example.id for example in small}


def test_no_example_is_taken_twice() -> None:
    found = [example.id for example in sample_gold(PLENTY, 200, seed=0)]
    assert len(set(found)) == len(found) == 200


def test_the_sample_depends_on_the_seed_and_not_on_the_order() -> None:
    first = sample_gold(PLENTY, 50, seed=0)
    assert sample_gold(list(reversed(PLENTY)), 50, seed=0) == first
    assert sample_gold(PLENTY, 50, seed=1) != first


def test_none_wanted_none_taken() -> None:
    assert sample_gold(PLENTY, 0, seed=0) == []
