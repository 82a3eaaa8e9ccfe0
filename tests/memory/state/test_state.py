"""The dynamic state: it follows from what was confirmed and when, and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import ModeContext
from constraintsuite.memory.records import MemoryDocument, Unit, parse_time
from constraintsuite.memory.state import (
    Clock,
    ForgettingCurve,
    Lifecycle,
    MemoryState,
    StateEvent,
    Superseded,
    lifecycle_of,
    strength_of,
)

DAY = 86_400.0
ages = st.lists(st.floats(0, 4000 * DAY), max_size=12)
START = datetime(2024, 1, 1, tzinfo=UTC)
moments = st.integers(0, 400).map(lambda days: START + timedelta(days=days))


def confirmed(*events: tuple[datetime, str]) -> MemoryState:
    state = MemoryState(Clock(START))
    for at, unit in events:
        state.clock.move_to(at)
        state.confirm([unit])
    return state


@pytest.mark.parametrize(
    ("days", "strength", "name"),
    [
        ([], 0.0, "encoded"),
        ([0], 1 / 2, "active"),
        ([0, 0], 2 / 3, "stabilizing"),
        ([0, 0, 0, 0], 4 / 5, "consolidated"),
        ([3], 1 / 3, "active"),  # (1 + 3) ** -0.5 is a half
        ([8], 1 / 4, "fading"),
        ([399], 1 / 21, "archived"),
        ([8, 8, 8], 1 / 2, "active"),
    ],
)
def test_strength_and_its_name_by_age_of_confirmations(days: list[float], strength: float, name: Lifecycle) -> None:
    assert strength_of([day * DAY for day in days], ForgettingCurve()) == pytest.approx(strength)
    assert lifecycle_of(strength_of([day * DAY for day in days], ForgettingCurve())) == name


@given(ages, st.floats(0, 4000 * DAY))
def test_one_more_confirmation_never_lowers_a_memory_and_strength_is_bounded(old: list[float], age: float) -> None:
    before, after = strength_of(old, ForgettingCurve()), strength_of([*old, age], ForgettingCurve())
    assert 0 <= before <= after < 1


@given(ages, st.floats(0, 4000 * DAY))
def test_time_never_raises_a_memory(old: list[float], passed: float) -> None:
    assert strength_of([age + passed for age in old], ForgettingCurve()) <= strength_of(old, ForgettingCurve())


@given(ages, st.randoms(use_true_random=False))
def test_the_order_of_confirmations_does_not_matter_to_the_last_digit(old: list[float], chance: object) -> None:
    shuffled = list(old)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert strength_of(shuffled, ForgettingCurve()) == strength_of(old, ForgettingCurve())


def test_nothing_is_forgotten_where_fading_is_none() -> None:
    assert strength_of([1000 * DAY], ForgettingCurve(fading=0)) == 0.5


@given(st.lists(st.tuples(moments, st.sampled_from("abc")), max_size=10), st.permutations(range(10)), moments)
def test_events_in_any_order_give_the_same_state(
    events: list[tuple[datetime, str]], order: list[int], now: datetime
) -> None:
    one, other = confirmed(*events), confirmed(*(events[i] for i in order if i < len(events)))
    one.clock.move_to(now)
    other.clock.move_to(now)
    assert one.snapshot() == other.snapshot()
    assert one.strengths() == other.strengths()


def test_as_of_an_earlier_time_later_confirmations_have_not_happened() -> None:
    state = confirmed((START + timedelta(days=10), "a"))
    state.clock.move_to(START)
    assert (state.strength("a"), state.lifecycle("a"), state.strengths()) == (0.0, "encoded", {})
    state.clock.move_to(START + timedelta(days=10))
    assert (state.strength("a"), state.lifecycle("a"), state.strengths()) == (0.5, "active", {"a": 0.5})


def test_reading_writes_nothing() -> None:
    state = confirmed((START, "a"))
    before = state.snapshot()
    assert (state.strength("b"), state.strengths(), state.superseded(), state.lifecycle("c")) == (
        0.0,
        {"a": 0.5},
        {},
        "encoded",
    )
    assert state.snapshot() == before


def test_a_run_that_begins_with_a_snapshot_leaves_it_and_other_runs_alone() -> None:
    prime = confirmed((START, "a"))
    snapshot = prime.snapshot()
    one, other = MemoryState.of(snapshot), MemoryState.of(snapshot)
    one.confirm(["b"])
    one.supersede("c", by="d")
    one.clock.move_to("2030-01-01")
    assert prime.snapshot() == other.snapshot() == snapshot
    one.restore(snapshot)
    assert one.snapshot() == snapshot


def test_a_confirmation_that_names_nothing_adds_none_of_the_others() -> None:
    state = MemoryState(Clock(START))
    with pytest.raises(UserError, match="A unit without an id"):
        state.confirm(["a", " "])
    assert state.strengths() == {}


def test_the_newest_successor_stands_in() -> None:
    state = MemoryState(Clock("2024-03-01"))
    state.supersede("a", by="b")
    state.clock.move_to("2024-02-01")
    state.supersede("a", by="c")
    assert state.superseded() == {"a": "c"}
    state.clock.move_to("2024-04-01")
    assert state.superseded() == {"a": "b"}
    state.clock.move_to("2024-01-01")
    assert state.superseded() == {}


@pytest.mark.parametrize(("older", "by"), [("a", "a"), ("c", "a"), ("b", "a")])
def test_units_cannot_supersede_each_other_in_a_circle(older: str, by: str) -> None:
    state = MemoryState(Clock(START))
    state.supersede("a", by="b")
    state.supersede("b", by="c")
    with pytest.raises(UserError, match="cannot be superseded by"):
        state.supersede(older, by=by)


CIRCLE = (Superseded("2024-01-01", "a", "b"), Superseded("2024-01-02", "b", "c"), Superseded("2024-01-03", "c", "a"))


@pytest.mark.parametrize("events", [CIRCLE, CIRCLE[::-1], (Superseded("2024-01-01", "a", "a"),)])
def test_events_that_supersede_in_a_circle_are_refused(events: tuple[StateEvent, ...]) -> None:
    with pytest.raises(UserError, match=r"supersede each other in a cycle, so none would be valid: '.'( by '.')+"):
        MemoryState(Clock(START), events=events)


def test_a_long_chain_is_no_circle() -> None:
    chain = [Superseded("2024-01-01", f"u{n}", f"u{n + 1}") for n in range(3_000)]
    assert len(MemoryState(Clock(START), events=reversed(chain)).superseded()) == 3_000


def test_a_snapshot_that_is_refused_changes_nothing() -> None:
    state = confirmed((START, "a"))
    before = state.snapshot()
    with pytest.raises(UserError, match="in a cycle"):
        state.restore(replace(before, events=CIRCLE))
    assert state.snapshot() == before


def test_strengths_of_some_units_are_those_of_all() -> None:
    state = confirmed((START, "a"), (START, "b"))
    assert state.strengths(["a", "z"]) == {"a": state.strengths()["a"]}
    assert list(state.confirmed) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2024-05-31", datetime(2024, 5, 31, tzinfo=UTC)),
        ("2024-05-31T12:30", datetime(2024, 5, 31, 12, 30, tzinfo=UTC)),
        ("2024-05-31T12:30+02:00", datetime(2024, 5, 31, 10, 30, tzinfo=UTC)),
        ("2024-05-31T12:30:00Z", datetime(2024, 5, 31, 12, 30, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_utc_unless_they_say_otherwise(text: str, time: datetime) -> None:
    assert parse_time(text) == time


@pytest.mark.parametrize("text", ["", "yesterday", "2024-13-01", "31.5.2024", "0001-01-01T00:00+01:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not a date or time in ISO 8601"):
        Clock(text)


def visible_at(units: Sequence[Unit], now: str) -> list[bool]:
    memory = Memory.of([MemoryDocument("d", "d", "", tuple(units))])
    return list(map(bool, ModeContext(memory, MemoryState(Clock(now))).visible()))


def test_validity_includes_its_first_moment_and_not_its_last() -> None:
    units = [
        Unit("d:1", "d", "x"),
        Unit("d:2", "d", "x", valid_from="2024-01-01"),
        Unit("d:3", "d", "x", valid_to="2024-01-01"),
    ]
    assert visible_at(units, "2023-12-31T23:59:59.999999") == [True, False, True]
    assert visible_at(units, "2024-01-01") == [True, True, False]


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        ("soon", None, "Unit 'd:1': valid_from 'soon' is not a date"),
        (None, "later", "Unit 'd:1': valid_to 'later' is not a date"),
        ("2024-01-02", "2024-01-01", "Unit 'd:1' is valid until 2024-01-01, which is not after 2024-01-02"),
    ],
)
def test_a_unit_with_wrong_times_is_named(begin: str | None, end: str | None, said: str) -> None:
    with pytest.raises(UserError, match=said):
        visible_at([Unit("d:1", "d", "x", valid_from=begin, valid_to=end)], "2024-01-01")
