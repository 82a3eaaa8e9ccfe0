"""The properties that make a sample by keys worth having, and what each mode takes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.sampling import SampleRequest, Selection, allocate, select
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.survey import KeyMaker, SamplingKeys, survey

MAKE = KeyMaker("corpus", "ours", "42")
IDS = [f"d{number}" for number in range(400)]
id_lists = st.lists(st.text("abc012", min_size=1, max_size=5), min_size=4, max_size=60, unique=True)


def chosen(
    ids: Sequence[str], positives: Sequence[str] = (), hard: Sequence[str] = (), **settings: object
) -> list[str]:
    """Ids of the subset, in its order."""
    return [ids[i] for i in selection(ids, positives, hard, **settings).positions]


def selection(ids: Sequence[str], positives: Sequence[str], hard: Sequence[str] = (), **settings: object) -> Selection:
    seen = survey(lambda: ids, MAKE, frozenset([*positives, *hard]))
    request = SampleRequest(SubsetSettings.model_validate(settings), seen, frozenset(positives), frozenset(hard))
    return select(request)


@given(id_lists, st.data())
def test_a_smaller_sample_is_the_beginning_of_a_larger_one(ids: list[str], data: st.DataObject) -> None:
    small = data.draw(st.integers(1, len(ids)))
    large = data.draw(st.integers(small, len(ids)))
    assert chosen(ids, mode="uniform", size=large)[:small] == chosen(ids, mode="uniform", size=small)


@given(id_lists, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(ids: list[str], rng: random.Random) -> None:
    shuffled = list(ids)
    rng.shuffle(shuffled)
    positives, size = sorted(ids)[:2], len(ids) // 2 + 1
    assert chosen(ids, positives, size=size) == chosen(shuffled, positives, size=size)


@given(id_lists, st.floats(0.05, 1))
def test_after_growth_a_rate_keeps_all_it_had(ids: list[str], rate: float) -> None:
    grown = [*ids, *(f"new{i}" for i in range(20))]
    seen = [survey(lambda ids=each: ids, MAKE) for each in (ids, grown)]  # type: ignore[misc]
    kept = [
        {name for name, key in zip(each, s.keys, strict=True) if key < rate * 2**64}
        for each, s in zip((ids, grown), seen, strict=True)
    ]
    assert kept[0] <= kept[1]
    if kept[0]:
        assert set(chosen(ids, mode="rate", rate=rate)) <= set(chosen(grown, mode="rate", rate=rate))


def test_after_growth_a_sample_of_fixed_size_keeps_its_share() -> None:
    ids = [str(i) for i in range(40_000)]
    grown = [*ids, *(f"new{i}" for i in range(2_000))]
    before, after = (set(chosen(each, mode="uniform", size=10_000)) for each in (ids, grown))
    assert len(before & after) / 10_000 == pytest.approx(40_000 / 42_000, abs=0.01)


@given(id_lists)
def test_without_its_first_row_a_sample_is_the_same(ids: list[str]) -> None:
    size = len(ids) // 2
    sample = chosen(ids, mode="uniform", size=size)
    first, rest = ids[0], ids[1:]
    assert (
        chosen(rest, mode="uniform", size=size - (first in sample) or 1)[: size - 1]
        == [name for name in sample if name != first][: size - 1]
    )


@given(id_lists, st.data())
def test_positives_come_first_and_all_are_kept(ids: list[str], data: st.DataObject) -> None:
    positives = data.draw(st.lists(st.sampled_from(ids), unique=True, max_size=len(ids) // 2))
    size = data.draw(st.integers(max(1, len(positives)), len(ids)))
    sample = chosen(ids, positives, size=size)
    assert set(sample[: len(positives)]) == set(positives)
    assert len(sample) == len(set(sample)) == size
    rest = [name for name in ids if name not in positives]
    if size > len(positives):
        assert sample[len(positives) :] == chosen(rest, mode="uniform", size=size - len(positives))


def test_equal_keys_are_ordered_by_id() -> None:
    def colliding(ids: Sequence[str]) -> SamplingKeys:
        return np.array([len(name) for name in ids], dtype=np.uint64)

    ids = ["bb", "c", "aa", "a", "ccc", "b"]
    seen = survey(lambda: ids, colliding)
    found = select(SampleRequest(SubsetSettings(mode="uniform", size=4), seen)).positions
    assert [ids[i] for i in found] == ["a", "b", "c", "aa"]


def test_an_id_that_stands_there_twice_is_named_with_both_places() -> None:
    with pytest.raises(UserError, match=r"'d3' occurs at documents 4 and 401"):
        survey(lambda: [*IDS, "d3"], MAKE).refuse_repeated_ids()


def test_keys_that_are_half_equal_are_no_repetition() -> None:
    def alike(ids: Sequence[str]) -> SamplingKeys:
        return np.array([(7 << 32) + int(name) for name in ids], dtype=np.uint64)

    survey(lambda: ["3", "1", "2"], alike).refuse_repeated_ids()
    with pytest.raises(UserError, match=r"'1' occurs at documents 2 and 4"):
        survey(lambda: ["3", "1", "2", "1"], alike).refuse_repeated_ids()


@pytest.mark.parametrize("settings", [{"mode": "uniform", "size": 401}, {"mode": "rate", "rate": 1.0}])
def test_no_sample_holds_an_id_twice(settings: dict[str, object]) -> None:
    with pytest.raises(UserError, match=r"'d3' occurs at documents 4 and 401"):
        chosen([*IDS, "d3"], (), (), **settings)


def test_a_wanted_id_that_stands_there_twice_is_named() -> None:
    with pytest.raises(UserError, match=r"'d3' occurs at documents 4 and 401"):
        chosen([*IDS, "d3"], ["d3"], size=2)


def test_hard_negatives_come_between_positives_and_the_rest() -> None:
    found = selection(IDS, ["d5", "d6"], ["d6", "d7", "elsewhere"], mode="pooled", size=10, run="run.txt")
    assert {IDS[i] for i in found.positions[:2]} == {"d5", "d6"}
    assert IDS[found.positions[2]] == "d7"
    assert [(s.name, s.population, s.chosen) for s in found.strata] == [
        ("positive", 2, 2), ("hard_negative", 1, 1), ("background", 397, 7),
    ]  # fmt: skip
    assert found.strata[2].probability == 7 / 397


def test_strata_get_their_shares_and_shortfalls_are_told() -> None:
    codes = np.array([0] * 390 + [1] * 10, dtype=np.uint16)
    seen = survey(lambda: IDS, MAKE)
    settings = SubsetSettings(mode="stratified", size=100, allocation="equal")
    found = select(SampleRequest(settings, seen, strata=codes, names=("short", "long")))
    assert [(s.name, s.chosen, s.probability) for s in found.strata] == [("short", 50, 50 / 390), ("long", 10, 1.0)]
    assert found.notes == ("stratum 'long': 50 documents wanted, 10 there",)
    keys = seen.keys[found.positions]
    assert (keys[:-1] < keys[1:]).all()
    assert [int(codes[p]) for p in found.positions] == found.stratum.tolist()


@pytest.mark.parametrize(
    ("size", "populations", "how", "expected"),
    [
        (10, {"a": 50, "b": 50}, "proportional", {"a": 5, "b": 5}),
        (10, {"a": 1, "b": 1, "c": 1}, "proportional", {"a": 4, "b": 3, "c": 3}),
        (7, {"a": 90, "b": 10}, "proportional", {"a": 6, "b": 1}),
        (9, {"a": 90, "b": 10}, "equal", {"a": 5, "b": 4}),
        (10, {"a": 90, "b": 10}, {"a": 0.3, "b": 0.7}, {"a": 3, "b": 7}),
    ],
)
def test_largest_remainders(
    size: int, populations: dict[str, int], how: str | dict[str, float], expected: dict[str, int]
) -> None:
    assert allocate(size, populations, how) == expected


@given(
    st.integers(1, 10**9),
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 10**6), min_size=1, max_size=8),
    st.sampled_from(["proportional", "equal", "shares"]),
    st.sampled_from([0.9991, 1.0, 1.0009]),
)
def test_as_many_are_given_out_as_are_wanted(size: int, populations: dict[str, int], how: str, total: float) -> None:
    shares = {name: total / len(populations) for name in populations}
    given_out = allocate(size, populations, shares if how == "shares" else how)
    assert sum(given_out.values()) == size
    assert min(given_out.values()) >= 0


def test_positions_are_those_that_the_methodology_draws() -> None:
    random.seed(42)
    expected = sorted(random.sample(range(400), 30))
    assert chosen(IDS, mode="legacy_positions", size=30) == [f"d{i}" for i in expected]


def test_a_prefix_has_no_probability() -> None:
    found = selection(IDS, [], mode="prefix", size=3)
    assert (found.positions.tolist(), found.strata[0].probability) == ([0, 1, 2], None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "uniform", "size": 401}, "--size 401 is more than the 400 documents"),
        ({"size": 1}, "--size 1 has no room for the documents to keep: 2 positive. Take at least 2."),
        ({"mode": "rate", "rate": 1e-12}, "none of the 400 documents is chosen"),
    ],
)
def test_what_cannot_be_is_refused_with_numbers(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        chosen(IDS, ["d1", "d2"], (), **settings)


@pytest.mark.parametrize(
    "settings",
    [{}, {"mode": "rate", "size": 3}, {"mode": "uniform", "rate": 0.5}, {"size": 2, "run": "x"}, {"mode": "pooled", "size": 2},
     {"mode": "legacy_positions", "size": 2, "seed": "x"}, {"size": 2, "allocation": {"a": 0.2}}],
)  # fmt: skip
def test_settings_that_contradict_each_other_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="--"):
        SubsetSettings.model_validate(settings)


def test_the_order_of_the_source_can_be_kept() -> None:
    sample = chosen(IDS, ["d399"], size=20, order="source")
    assert sample == sorted(sample, key=IDS.index)
    assert "d399" in sample
