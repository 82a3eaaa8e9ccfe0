"""Leak-free splits: what belongs together stays together, and the shares are met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytest

from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.suites.recipe import SplitSettings
from constraintsuite.suites.splits import AskedSplits, Splits, split_documents, split_names

SETTINGS = SplitSettings(train=0.6, dev=0.2, test=0.2)
IDS = [f"d{number}" for number in range(100)]


def documents_split(
    ids: Iterable[str],
    clusters: Mapping[str, str],
    ties: Iterable[Sequence[str]],
    settings: SplitSettings,
    seed: int,
    uses: Iterable[Sequence[str]] = (),
) -> dict[str, Split]:
    """The same with names for numbers."""
    ordered = sorted(ids)
    number = {name: place for place, name in enumerate(ordered)}
    pairs = [(number[document], number[first]) for document, first in clusters.items()]
    groups = [[number[name] for name in tie] for tie in ties]
    kinds = [np.array([number[name] for name in use], dtype=np.uint32) for use in uses]
    return dict(split_documents(ordered, pairs, groups, kinds, settings, seed))


def names_split(
    ys: Mapping[str, Sequence[str]], documents: Mapping[str, Split], settings: SplitSettings
) -> dict[str, Split]:
    """The same with names for numbers."""
    ordered = sorted(documents)
    codes = np.array([SPLITS.index(documents[name]) for name in ordered], dtype=np.uint8)
    numbers = {y: np.array([ordered.index(name) for name in names], dtype=np.uint32) for y, names in ys.items()}
    return split_names(numbers, Splits(ordered, codes), settings)


def test_the_shares_are_met() -> None:
    assert Counter(documents_split(IDS, {}, [], SETTINGS, 0).values()) == {"train": 60, "dev": 20, "test": 20}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (SplitSettings(train=1.0, dev=0.0, test=0.0), {"train": 100}),
        (SplitSettings(train=0.0, dev=0.5, test=0.5), {"dev": 50, "test": 50}),
        (SplitSettings(train=0.3, dev=0.1, test=0.1), {"train": 60, "dev": 20, "test": 20}),  # shares are relative
    ],
)
def test_other_shares_are_met_too(settings: SplitSettings, expected: dict[Split, int]) -> None:
    assert Counter(documents_split(IDS, {}, [], settings, 0).values()) == expected


def test_near_duplicates_stay_together() -> None:
    clusters = {f"d{number}": f"d{number - number % 4}" for number in range(100) if number % 4}
    splits = documents_split(IDS, clusters, [], SETTINGS, 0)
    assert all(splits[document] == splits[first] for document, first in clusters.items())
    assert len(set(splits.values())) == 3


def test_near_duplicates_stay_together_even_above_the_cap() -> None:
    splits = documents_split(IDS, dict.fromkeys(IDS[1:50], "d0"), [], SETTINGS, 0)
    assert len({splits[document] for document in IDS[:50]}) == 1


def test_tied_documents_stay_together() -> None:
    ties = [tuple(IDS[start : start + 10]) for start in range(0, 100, 10)]
    splits = documents_split(IDS, {}, ties, SETTINGS, 0)
    assert [len({splits[document] for document in tie}) for tie in ties] == [1] * 10


MANY = [f"d{number}" for number in range(1000)]


def test_a_tie_above_the_cap_is_not_made() -> None:
    ties = [tuple(MANY[:200]), *((document,) for document in MANY[200:])]
    splits = documents_split(MANY, {}, ties, SETTINGS.model_copy(update={"max_component": 0.15}), 0)
    assert len({splits[document] for document in MANY[:200]}) == 3


def test_ties_do_not_grow_together_above_the_cap() -> None:
    chain = [(MANY[number], MANY[number + 1]) for number in range(999)]
    splits = documents_split(MANY, {}, chain, SETTINGS.model_copy(update={"max_component": 0.1}), 0)
    assert Counter(splits.values()) == {"train": 600, "dev": 200, "test": 200}


def test_earlier_ties_are_more_important() -> None:
    early, late = tuple(MANY[:80]), tuple(MANY[60:140])  # together above the cap of 100
    splits = documents_split(MANY, {}, [early, late], SplitSettings(max_component=0.1), 0)
    assert len({splits[document] for document in early}) == 1
    assert len({splits[document] for document in late}) > 1


def test_splits_depend_on_the_seed_and_on_nothing_else() -> None:
    first = documents_split(IDS, {}, [], SETTINGS, 0)
    assert documents_split(reversed(IDS), {}, [], SETTINGS, 0) == first
    assert documents_split(IDS, {}, [], SETTINGS, 1) != first


def test_a_name_goes_where_its_documents_are() -> None:
    documents: dict[str, Split] = {"a": "train", "b": "dev", "c": "test"}
    ys = {"has\x1fpool": ["a"], "has\x1fdog": ["b"], "has\x1fbar": ["c"], "has\x1fgym": ["c"]}
    assert names_split(ys, documents, SETTINGS) == {
        "has\x1fpool": "train",
        "has\x1fdog": "dev",
        "has\x1fbar": "test",
        "has\x1fgym": "test",
    }


def test_a_name_of_several_splits_goes_where_its_relation_lacks_most() -> None:
    documents: dict[str, Split] = {f"t{i}": "train" for i in range(6)}
    documents |= {f"d{i}": "dev" for i in range(2)}
    big = [*documents]
    small = ["t0", "d0"]
    assert names_split({"has\x1fbig": big, "has\x1fsmall": small}, documents, SETTINGS) == {
        "has\x1fbig": "train",
        "has\x1fsmall": "dev",
    }


def test_no_name_goes_into_a_split_without_a_share() -> None:
    settings = SplitSettings(train=0.8, dev=0.0, test=0.2)
    documents: dict[str, Split] = {"a": "dev", "b": "train"}
    assert names_split({"has\x1fpool": ["a", "b"], "has\x1fdog": ["a"]}, documents, settings)["has\x1fpool"] == "train"


def test_one_name_of_two_relations_is_in_one_split() -> None:
    directed: dict[str, Split] = dict.fromkeys(("f0", "f1", "f2"), "dev")
    acted: dict[str, Split] = dict.fromkeys(("p0", "p1", "p2", "p3"), "train")
    ys = {"directed_by\x1fAnn Example": [*directed], "starring\x1fAnn Example": [*acted]}
    assert len(set(names_split(ys, directed | acted, SplitSettings()).values())) == 1


def test_every_kind_of_example_is_divided_by_the_shares() -> None:
    films, hotels = IDS[:50], IDS[50:60]  # most documents give nothing
    splits = documents_split(IDS, {}, [], SETTINGS, 0, uses=[films, hotels])
    assert Counter(splits[name] for name in films) == {"train": 30, "dev": 10, "test": 10}
    assert Counter(splits[name] for name in hotels) == {"train": 6, "dev": 2, "test": 2}


def test_parts_are_dealt_by_the_examples_they_give_and_not_by_their_documents() -> None:
    large, small = IDS[:40], [IDS[40 + 2 * i : 42 + 2 * i] for i in range(9)]
    used = [large[0], large[1], *(name for part in small for name in part)]  # each part gives two examples
    splits = documents_split(IDS, {}, [large, *small], SETTINGS, 0, uses=[used])
    assert Counter(splits[part[0]] for part in [large, *small]) == {"train": 6, "dev": 2, "test": 2}


DOCUMENTS = Splits(["a", "b", "c", "d"], np.array([0, 0, 2, 2], dtype=np.uint8))
"""Two documents of train, two of test."""


def numbers(*found: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.array(found, dtype=np.uint32)


def test_a_closed_value_is_asked_in_every_split_of_other_documents() -> None:
    asked = AskedSplits(DOCUMENTS, {})
    dealt = {
        split: [own.tolist() for own in groups] for split, groups in asked.deal("drama", numbers(0, 1, 2), numbers(3))
    }
    assert dealt == {"train": [[0, 1], []], "test": [[2], [3]]}


def test_a_name_is_asked_in_its_own_split_only() -> None:
    asked = AskedSplits(DOCUMENTS, {"directed_by\x1fAnn Example": "test"})
    dealt = {split: own.tolist() for split, (own,) in asked.deal("directed_by\x1fAnn Example", numbers(0, 1, 2))}
    assert dealt == {"test": [2]}


def test_the_split_of_an_unknown_document_is_a_key_error() -> None:
    splits = split_documents(["a", "c"], [], [], [], SETTINGS, 0)
    assert dict(splits) == dict(splits.entries()) == {"a": "test", "c": "test"}
    for unknown in ("", "b", "d"):
        with pytest.raises(KeyError):
            splits[unknown]
