from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.mechanism.contrasts.records import Contrast, ControlKind
from constraintsuite.mechanism.contrasts.selection import apart, choose, keep_apart, keep_kinds
from mechanism.contrasts.contrast_factory import exchange, swap


def _many() -> list[Contrast]:
    kinds: dict[ControlKind, int] = {"": 40, "idiom": 4}
    return [
        replace(swap(f"{kind}{i}"), control=kind, half="find" if i % 2 else "check")
        for kind, count in kinds.items()
        for i in range(count)
    ]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(4, {("", "find"): 1, ("", "check"): 1, ("idiom", "find"): 1, ("idiom", "check"): 1}),
     (20, {("", "find"): 8, ("", "check"): 8, ("idiom", "find"): 2, ("idiom", "check"): 2})],
)  # fmt: skip
def test_a_limit_is_dealt_evenly(limit: int, expected: dict[tuple[str, str], int]) -> None:
    chosen = choose(_many(), limit, seed=0)
    assert Counter((one.control, one.half) for one in chosen) == expected


def test_the_choice_keeps_the_order_and_depends_on_the_seed() -> None:
    contrasts = _many()
    chosen = choose(contrasts, 12, seed=0)
    assert chosen == [one for one in contrasts if one in chosen] == choose(contrasts[::-1], 12, seed=0)[::-1]
    assert chosen != choose(contrasts, 12, seed=1)
    assert choose(contrasts, None, seed=0) == choose(contrasts, 99, seed=0) == contrasts


def test_kinds_are_told_apart() -> None:
    contrasts = [swap(), exchange(), replace(swap("other"), control="idiom")]
    assert [one.id for one in keep_kinds(contrasts, controls=[""])] == ["swap", "exchange"]
    assert [one.id for one in keep_kinds(contrasts, sides=["query"])] == ["swap", "other"]


@given(st.dictionaries(st.text("abc", max_size=3), st.sets(st.sampled_from("uvwxyz"), min_size=1, max_size=2)))
def test_no_two_that_are_apart_share_a_cluster_and_no_other_could_join(clusters: dict[str, set[str]]) -> None:
    chosen = apart(clusters, seed=0)
    taken = [cluster for name in chosen for cluster in clusters[name]]
    assert len(taken) == len(set(taken))
    assert all(name in chosen or clusters[name] & set(taken) for name in clusters)


def test_rarer_clusters_come_first() -> None:
    assert apart({"a": "hub", "b": "hx", "c": "uy", "d": "bz"}, seed=0) == {"b", "c", "d"}


def test_each_kind_and_side_is_kept_apart_for_itself() -> None:
    contrasts = [swap("one"), swap("two"), exchange(), replace(swap("four"), control="idiom")]
    contrasts = [replace(one, clusters=("same",)) for one in contrasts]
    kept = [one.id for one in keep_apart(contrasts, seed=0)]
    assert len(kept) == 3 and kept[1:] == ["exchange", "four"]
