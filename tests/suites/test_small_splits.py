"""A split with too few examples of a slice is announced, and refused unless one asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example, Split
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.suites.small_splits import find_small_splits, refuse_small_splits
from suites.build_factory import make_example


def examples(slice: str, counts: dict[Split, int]) -> list[Example]:
    return [make_example(n, slice=slice, split=split) for split, count in counts.items() for n in range(count)]


@pytest.mark.parametrize(
    ("counts", "small"),
    [
        ({"train": 60, "dev": 30, "test": 30}, []),
        ({"train": 60, "dev": 29, "test": 30}, [("dev", 29, 119)]),
        ({"train": 400, "dev": 40, "test": 60}, [("dev", 40, 500)]),  # 8 %
        ({"train": 60, "dev": 30, "test": 0}, [("test", 0, 90)]),
    ],
)
def test_a_split_needs_30_examples_and_a_tenth_of_every_slice(
    counts: dict[Split, int], small: list[tuple[str, int, int]]
) -> None:
    found = find_small_splits(examples("explicit", counts))
    assert [(one.name, own, total) for one in found for _, own, total in one.slices] == small


def test_the_sentence_says_what_there_is_and_what_is_needed() -> None:
    (small,) = find_small_splits(examples("minpairs", {"train": 60, "dev": 12, "test": 30}))
    assert small.in_words() == (
        "The split dev is too small: it has 12 of 102 examples in minpairs; figures from less than 30 examples or 10.0 % of a "
        "slice say little."
    )


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    explicit = examples("explicit", {"train": 60, "dev": 30, "test": 30})
    write_jsonl(tmp_path / "examples.jsonl", [*explicit, *examples("omission", {"train": 60, "dev": 5, "test": 30})])
    finish(tmp_path, ArtifactOrigin("suite", "tiny", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    return tmp_path


def test_a_small_split_is_refused(suite: Path) -> None:
    with pytest.raises(UserError, match=r"5 of 95 examples in omission.*--allow-small-split"):
        refuse_small_splits(suite, ["dev"])


@pytest.mark.parametrize("splits", [["test"], ["train", "dev", "test"], []])
def test_large_splits_and_the_whole_suite_pass(suite: Path, splits: list[str]) -> None:
    refuse_small_splits(suite, splits)


def test_only_the_slices_that_are_used_count(suite: Path) -> None:
    refuse_small_splits(suite, ["dev"], slices=["explicit"])


def test_what_is_no_suite_passes(tmp_path: Path) -> None:
    refuse_small_splits(tmp_path / "contrasts.jsonl", ["dev"])
