from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.examples import SPLITS, Example
from constraintsuite.mechanism.contrasts.selection import halve
from mechanism.contrasts.suite_factory import make_example

EXAMPLE = make_example()


def _examples(clusters: list[tuple[str, ...]], split: str = "test") -> list[Example]:
    return [
        replace(EXAMPLE, id=f"{split}{i}", clusters=some, split=split)  # type: ignore[arg-type]
        for i, some in enumerate(clusters)
    ]


@given(
    st.lists(st.tuples(st.integers(0, 9).map(str), st.integers(0, 9).map(str)), min_size=1, max_size=30),
    st.lists(st.sampled_from(SPLITS), min_size=30, max_size=30),
    st.integers(0, 3),
)
def test_no_cluster_is_in_both_halves(clusters: list[tuple[str, str]], splits: list[str], seed: int) -> None:
    examples = [
        replace(example, split=split)  # type: ignore[arg-type]
        for example, split in zip(_examples([*clusters]), splits, strict=False)
    ]
    found = halve(examples, seed)
    assert list(found) != [] and set(found) == {example.id for example in examples}
    half_of: dict[str, str] = {}
    for example in examples:
        half = found[example.id]
        if half is not None:
            assert all(half_of.setdefault(cluster, half) == half for cluster in example.clusters)


def test_each_split_is_halved_evenly() -> None:
    examples = [one for split in SPLITS for one in _examples([(f"{split} {i}",) for i in range(10)], split)]
    found = halve(examples, 0)
    for split in SPLITS:
        assert sorted(found[f"{split}{i}"] or "" for i in range(10)) == ["check"] * 5 + ["find"] * 5


def test_a_component_that_is_nearly_everything_is_torn_and_what_straddles_has_no_half() -> None:
    chain = [(str(i), str(i + 1)) for i in range(40)]
    halves = list(halve(_examples([*chain]), 0).values())
    assert {"find", "check", None} == set(halves)


def test_the_seed_changes_the_deal() -> None:
    examples = _examples([(str(i),) for i in range(10)])
    assert halve(examples, 0) != halve(examples, 1)
    assert halve(examples, 0) == halve(examples, 0)
