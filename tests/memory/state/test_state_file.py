"""A state on disk: whole, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.state import Clock, ForgettingCurve, MemoryState
from constraintsuite.memory.state_file import load_state, locked_state, save_state


def lived() -> MemoryState:
    state = MemoryState(Clock("2024-06-01T10:00:00.000001"), ForgettingCurve(scale_days=2))
    state.confirm(["lease:1", "lease:ü\u2028:2", "lease:1"])
    state.supersede("lease:1", by="lease:3")
    state.clock.move_to("2024-07-01")
    return state


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    save_state(tmp_path / "s.jsonl", lived())
    assert load_state(tmp_path / "s.jsonl").snapshot() == lived().snapshot()


def test_the_order_of_events_does_not_show_in_the_file(tmp_path: Path) -> None:
    other = MemoryState(Clock("2024-06-01T10:00:00.000001"), ForgettingCurve(scale_days=2))
    other.supersede("lease:1", by="lease:3")
    other.confirm(["lease:1"])
    other.confirm(["lease:ü\u2028:2", "lease:1"])
    other.clock.move_to("2024-07-01")
    save_state(tmp_path / "a.jsonl", lived())
    save_state(tmp_path / "b.jsonl", other)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@given(cut=st.integers(0, 400))
def test_a_file_that_is_cut_short_is_refused_with_its_name(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    save_state(path, lived())
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole) - 2)])  # the last byte is only the line end
    with pytest.raises(UserError, match=r"cut\.jsonl"):
        load_state(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"lease:3", b"lease:4"),
        (b'"events":4', b'"events":3'),
        (b'"format":1', b'"format":9'),
        (b"confirmed", b"forgotten"),
    ],
)
def test_a_file_that_was_changed_is_refused(before: bytes, after: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    save_state(path, lived())
    path.write_bytes(path.read_bytes().replace(before, after))
    with pytest.raises(UserError, match=r"s\.jsonl"):
        load_state(path)


def test_a_file_of_units_that_supersede_each_other_in_a_circle_is_refused(tmp_path: Path) -> None:
    one, other = MemoryState(Clock("2024-01-01")), MemoryState(Clock("2024-01-02"))
    one.supersede("a", by="b")
    other.supersede("b", by="a")
    one._superseded |= other._superseded  # as another program may have written it
    save_state(tmp_path / "s.jsonl", one)
    with pytest.raises(UserError, match=r"s\.jsonl: Units supersede each other in a cycle"):
        load_state(tmp_path / "s.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.jsonl: there is no such file"):
        load_state(tmp_path / "none.jsonl")


def test_an_update_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    save_state(path, lived())
    before = path.read_bytes()
    with pytest.raises(RuntimeError), locked_state(path, lived()) as state:
        state.confirm(["lease:9"])
        raise RuntimeError("power cut")
    assert path.read_bytes() == before


def test_updates_add_up_and_begin_with_what_is_given(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for _ in range(2):
        with locked_state(path, MemoryState(Clock("2024-01-01"))) as state:
            state.confirm(["a"])
    assert load_state(path).strength("a") == pytest.approx(2 / 3)


def test_two_updates_at_once_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    start = MemoryState(Clock("2024-01-01"))
    with locked_state(path, start), pytest.raises(UserError, match="another csuite command"), locked_state(path, start):
        pass
