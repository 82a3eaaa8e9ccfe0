"""Modes with a state: what holds at the time, what was confirmed, and that static modes do not care for the latter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.modes.naming import load_mode
from constraintsuite.memory.recall import Recall
from constraintsuite.memory.state.clock import Clock
from constraintsuite.memory.state.state import State
from memory.modes.lease import lease, lease_memory

QUERY = "Who repairs the boiler, and may Acme Ltd terminate?"
ALL = [f"{name}:bm25" if name.endswith("_rerank") else name for name in MODES.names()]
DYNAMIC = ["weighted_graph", "weighted_graph_dynamic", "activation_spreading_v1", "activation_spreading_dynamic"]
STATIC = [name for name in ALL if name not in DYNAMIC]


def state(now: str = "2024-06-01") -> State:
    return State(Clock(now))


def score(found: Recall, unit: str) -> float:
    return next((each.score for each in found.ranking if each.unit == unit), 0.0)


def units(found: Recall) -> list[str]:
    return [each.unit for each in found.ranking]


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_confirmed_unit_rises_and_falls_back_with_time(name: str) -> None:
    memory, own = lease_memory(), state()
    mode = load_mode(name, memory, state=own)
    before = score(mode.search(QUERY, 5), "lease:3")
    own.confirm(["lease:3"])
    confirmed = score(mode.search(QUERY, 5), "lease:3")
    own.clock.move_to("2024-08-01")
    later = score(mode.search(QUERY, 5), "lease:3")
    assert before < later < confirmed


@pytest.mark.parametrize("name", STATIC)
def test_a_static_mode_does_not_care_what_was_confirmed(name: str) -> None:
    memory, own = lease_memory(), state()
    plain = load_mode(name, memory).search(QUERY, 5)
    own.confirm(["lease:3", "lease:5"])
    assert load_mode(name, memory, state=own).search(QUERY, 5) == plain


@pytest.mark.parametrize("name", DYNAMIC)
def test_searching_confirms_nothing(name: str) -> None:
    own = state()
    mode = load_mode(name, lease_memory(), state=own)
    first = mode.search(QUERY, 5)
    for _ in range(3):
        assert mode.search(QUERY, 5) == first
    assert own.snapshot().events == ()


@pytest.mark.parametrize(
    ("dynamic", "static"),
    [
        ("weighted_graph", "weighted_graph_static"),
        ("activation_spreading_v1", "activation_spreading_static"),
    ],
)
def test_without_confirmations_the_dynamic_mode_is_the_static_one(dynamic: str, static: str) -> None:
    memory = lease_memory()
    found = [load_mode(name, memory, state=state()).search(QUERY, 5) for name in (dynamic, static)]
    assert found[0].ranking == found[1].ranking
    assert found[0].paths == found[1].paths


@pytest.mark.parametrize("name", ["weighted_graph", "activation_spreading_v1"])
@settings(max_examples=30)
@given(
    confirmed=st.lists(st.sampled_from([f"lease:{n}" for n in range(1, 6)]), max_size=6),
    extra=st.sampled_from([f"lease:{n}" for n in range(1, 5)]),
)
def test_one_more_confirmation_never_lowers_the_unit(name: str, confirmed: list[str], extra: str) -> None:
    memory, own = Memory.of([lease()]), state()
    own.confirm(confirmed)
    mode = load_mode(name, memory, state=own)
    before = mode.search(QUERY, 5)
    own.confirm([extra])
    after = mode.search(QUERY, 5)
    assert score(after, extra) >= score(before, extra)
    assert units(after).index(extra) <= units(before).index(extra)


@pytest.mark.parametrize("name", DYNAMIC)
def test_the_same_state_and_clock_give_the_same_answer(name: str) -> None:
    memory, own = lease_memory(), state()
    own.confirm(["lease:4", "lease:1"])
    twin = State.of(own.snapshot())
    own_answer = load_mode(name, memory, state=own).search(QUERY, 5)
    assert load_mode(name, memory, state=twin).search(QUERY, 5) == own_answer
    twin.confirm(["lease:5"])
    assert load_mode(name, memory, state=own).search(QUERY, 5) == own_answer


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("now", "found"),
    [("2023-12-31T23:59:59", False), ("2024-01-01", True), ("2024-06-01", True), ("2025-01-01", False)],
)
def test_a_unit_is_found_only_while_it_is_valid(name: str, now: str, found: bool) -> None:
    memory = lease_memory(lease([(1, "2024-01-01", "2025-01-01")]))
    recall = load_mode(name, memory, state=state(now)).search(QUERY, 5)
    assert ("lease:1" in units(recall)) is found
    walked = {step.node for path in recall.paths for step in path.steps} | {each.node for each in recall.trace}
    assert found or "lease:1" not in walked


@pytest.mark.parametrize("name", ALL)
def test_without_a_time_all_units_are_found(name: str) -> None:
    memory = lease_memory(lease([(1, "2024-01-01", "2025-01-01")]))
    assert "lease:1" in units(load_mode(name, memory).search(QUERY, 5))


@pytest.mark.parametrize("name", ALL)
def test_a_superseded_unit_is_found_only_as_of_an_earlier_time(name: str) -> None:
    memory, own = lease_memory(), state("2024-06-01")
    mode = load_mode(name, memory, state=own)
    own.supersede("lease:1", by="lease:2")
    assert "lease:1" not in units(mode.search(QUERY, 5))
    own.clock.move_to("2024-05-31")
    assert "lease:1" in units(mode.search(QUERY, 5))


@pytest.mark.parametrize("name", ["ppr", "activation_spreading_static", "weighted_graph"])
def test_what_does_not_hold_is_walked_around_as_if_it_were_not_there(name: str) -> None:
    whole, own = Memory.of([lease()]), state()
    own.supersede("lease:3", by="lease:4")
    touching = [n for n in range(len(whole.graph.edges.source)) if "lease:3" in _ends(whole, n)]
    cut = whole.without(touching)
    query = "boiler altered"  # which unit 3 does not match itself
    found, expected = load_mode(name, whole, state=own).search(query, 5), load_mode(name, cut).search(query, 5)
    assert (found.ranking, found.paths, found.trace) == (expected.ranking, expected.paths, expected.trace)


def _ends(memory: Memory, edge: int) -> tuple[str, str]:
    record = memory.graph.edge(edge)
    return record.source, record.target


def test_units_of_the_state_that_are_gone_from_the_memory_do_not_matter() -> None:
    own = state()
    own.confirm(["old:1"])
    own.supersede("old:2", by="old:1")
    memory = lease_memory()
    assert load_mode("weighted_graph", memory, state=own).search(QUERY, 5) == load_mode(
        "weighted_graph", memory
    ).search(QUERY, 5)
