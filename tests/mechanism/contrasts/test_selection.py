from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.mechanism.contrasts.files import PlainContrast, mark_plain
from constraintsuite.mechanism.contrasts.records import (
    CONTROL_KINDS,
    HALVES,
    ControlKind,
    Marked,
    MarkedContrast,
    MarkedPair,
)
from constraintsuite.mechanism.contrasts.selection import (
    choose_contrasts,
    choose_disjoint,
    choose_readable,
    keep_independent,
)
from mechanism.contrasts.contrast_factory import exchange, make_tokenization, swap


def _many() -> list[MarkedContrast]:
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
    chosen = choose_contrasts(_many(), limit, seed=0)
    assert Counter((one.control, one.half) for one in chosen) == expected


def test_a_limit_leaves_no_constraint_type_out() -> None:
    """Of forty exclusions and four limits, as many of each."""
    types = [replace(one, control="", constraint="number" if one.control else "exclude") for one in _many()]
    chosen = choose_contrasts(types, 8, seed=0)
    assert Counter(one.constraint for one in chosen) == {"exclude": 4, "number": 4}


def test_the_choice_keeps_the_order_and_depends_on_the_seed() -> None:
    contrasts = _many()
    chosen = choose_contrasts(contrasts, 12, seed=0)
    assert chosen == [one for one in contrasts if one in chosen] == choose_contrasts(contrasts[::-1], 12, seed=0)[::-1]
    assert chosen != choose_contrasts(contrasts, 12, seed=1)
    assert choose_contrasts(contrasts, None, seed=0) == choose_contrasts(contrasts, 99, seed=0) == contrasts


def _with_unreadable(count: int) -> list[MarkedContrast]:
    """Those of `_many`, of which the first are the same to a model that knows no capitals."""
    return [
        replace(mark_plain(PlainContrast(one.id, "soup", "cream", "bread", query_corrupt="SOUP")), half=one.half)
        if i < count
        else one
        for i, one in enumerate(_many())
    ]


@pytest.mark.parametrize(
    ("unreadable", "limit", "found"), [(0, 12, 12), (30, 12, 12), (40, 12, 4), (30, 14, 14), (30, None, 14)]
)
def test_for_one_that_cannot_be_asked_another_is_taken(unreadable: int, limit: int | None, found: int) -> None:
    made = choose_readable(_with_unreadable(unreadable), limit, 0, make_tokenization())
    assert len(made.contrasts) == found
    assert {one.reason for one in made.rejected} <= {"same_tokens"}
    assert len({one.id for one in made.rejected}) == len(made.rejected) <= unreadable


@given(st.dictionaries(st.text("abc", max_size=3), st.sets(st.sampled_from("uvwxyz"), min_size=1, max_size=2)))
def test_no_two_that_are_apart_share_a_cluster_and_no_other_could_join(clusters: dict[str, set[str]]) -> None:
    chosen = choose_disjoint(clusters, seed=0)
    taken = [cluster for name in chosen for cluster in clusters[name]]
    assert len(taken) == len(set(taken))
    assert all(name in chosen or clusters[name] & set(taken) for name in clusters)


def test_rarer_clusters_come_first() -> None:
    assert choose_disjoint({"a": "hub", "b": "hx", "c": "uy", "d": "bz"}, seed=0) == {"b", "c", "d"}


def test_each_kind_and_side_is_kept_apart_for_itself() -> None:
    contrasts = [swap("one"), swap("two"), exchange(), replace(swap("four"), control="idiom")]
    kept, left = keep_independent([replace(one, clusters=("same",)) for one in contrasts], seed=0)
    assert [one.id for one in kept][1:] == ["exchange", "four"]
    assert [(one.id in ("one", "two"), one.reason) for one in left] == [(True, "shares_a_document")]


def test_contrasts_that_name_no_cluster_are_apart() -> None:
    contrasts = [replace(swap(name), clusters=()) for name in "ab"]
    assert [one.id for one in keep_independent(contrasts, seed=0)[0]] == ["a", "b"]


def test_halves_are_dealt_anew_and_evenly() -> None:
    hub = [replace(swap(f"hub{i}"), clusters=("hub",), half="find") for i in range(20)]
    alone = [replace(swap(f"alone{i}"), clusters=(f"c{i}",), half="check") for i in range(9)]
    kept, _ = keep_independent([*hub, *alone], seed=0)
    assert Counter(one.half for one in kept) == {"find": 5, "check": 5}


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"), st.sampled_from(CONTROL_KINDS)), max_size=20
    )
)
def test_no_cluster_is_in_both_halves_of_what_is_kept_apart(found: list[tuple[str, str, ControlKind]]) -> None:
    contrasts = [
        replace(swap(str(i)), clusters=(one, other), control=control) for i, (one, other, control) in enumerate(found)
    ]
    kept, left = keep_independent(contrasts, seed=0)
    halves = {(cluster, one.half) for one in kept for cluster in one.clusters}
    assert len(halves) == len({cluster for cluster, _ in halves})
    assert sorted([*(one.id for one in kept), *(one.id for one in left)]) == sorted(one.id for one in contrasts)


def test_a_text_aside_that_the_other_half_asks_about_is_exchanged() -> None:
    contrasts = [_about(str(i), f"loaf {i} of rye bread") for i in range(8)]
    strange = {one.id: one.better.text.text for one in keep_independent(contrasts, seed=0)[0] if one.half == "check"}
    text = next(iter(strange.values()))
    kept, _ = keep_independent([_with_aside(one, text) for one in contrasts], seed=0)
    asked = {
        half: {pair.text.text for one in kept if one.half == half for pair in (one.better, one.worse)}
        for half in HALVES
    }
    for one in kept:
        assert one.aside is not None and one.aside_corrupt is not None
        assert one.aside.text.text in asked[one.half] - {one.better.text.text, one.worse.text.text} | {text}
        assert one.aside.text.text not in asked["find" if one.half == "check" else "check"]
        assert (one.aside.query, one.aside_corrupt.query) == (one.better.query, one.better_corrupt.query)


def _about(name: str, text: str) -> MarkedContrast:
    plain = PlainContrast(name, "soups without cream", text, f"{text} again", "soups with cream", y=("cream",))
    return mark_plain(plain)


def _with_aside(contrast: MarkedContrast, text: str) -> MarkedContrast:
    return replace(
        contrast,
        aside=MarkedPair(contrast.better.query, Marked(text)),
        aside_corrupt=MarkedPair(contrast.better_corrupt.query, Marked(text)),
    )
