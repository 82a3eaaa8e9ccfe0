"""Modes with a state: what holds at the time, what was confirmed, and that static modes do not care for the latter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.records import EntityMention, MemoryDocument, Unit
from constraintsuite.memory.results import SearchAnswer
from constraintsuite.memory.state import Clock, MemoryState
from memory.modes.lease import lease, lease_memory, parts, queries
from memory.tiny_parts import part

QUERY = "Who repairs the boiler, and may Acme Ltd terminate?"
ALL = [f"{name}:bm25" if name.endswith("_rerank") else name for name in MODES.names()]
DYNAMIC = ["weighted_graph", "weighted_graph_dynamic", "activation_spreading_v1", "activation_spreading_dynamic"]
STATIC = [name for name in ALL if name not in DYNAMIC]


def state(now: str = "2024-06-01") -> MemoryState:
    return MemoryState(Clock(now))


def score(found: SearchAnswer, unit: str) -> float:
    return next((each.score for each in found.ranking if each.unit == unit), 0.0)


def units(found: SearchAnswer) -> list[str]:
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
    twin = MemoryState.of(own.snapshot())
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
    assert "lease:1" in units(mode.search(QUERY, 5))
    own.supersede("lease:1", by="lease:2")
    assert "lease:1" not in units(mode.search(QUERY, 5))
    own.clock.move_to("2024-05-31")
    assert "lease:1" in units(mode.search(QUERY, 5))


NAMING = ["ppr,entities=0.2", "hybrid,coverage=yes", "ppr,seeds=covered", "ppr,synonyms=0.8"]


@pytest.mark.parametrize("name", [*ALL, *NAMING])
@settings(max_examples=25)
@given(document=parts(), later=st.sets(st.integers(1, 7)), query=queries)
def test_what_does_not_hold_is_as_if_it_were_not_there(
    name: str, document: MemoryDocument, later: set[int], query: str
) -> None:
    """In statistics, names, walks and scales of every kind: nothing of it shows in the answer."""
    hidden = {f"d:{number}" for number in later}
    whole = replace(
        document,
        units=tuple(replace(unit, valid_from="2030-01-01") if unit.id in hidden else unit for unit in document.units),
    )
    left = replace(
        document,
        units=tuple(unit for unit in document.units if unit.id not in hidden),
        edges=tuple(edge for edge in document.edges if not hidden & {edge.source, edge.target}),
        mentions=tuple(mention for mention in document.mentions if mention.unit not in hidden),
    )
    found = load_mode(name, lease_memory(whole), state=state("2029-12-31")).search(query, 9)
    expected = load_mode(name, lease_memory(left)).search(query, 9)
    assert scores(found) == pytest.approx(scores(expected), rel=1e-9)
    assert {each.node for each in found.trace} == {each.node for each in expected.trace}


def scores(found: SearchAnswer) -> dict[str, float]:
    return {each.unit: each.score for each in found.ranking}


def test_units_that_hold_later_do_not_make_a_word_common() -> None:
    now = part("a", ["alpha pump", "beta pump is here"])
    later = tuple(Unit(f"b:{n}", "b", "alpha note", valid_from="2030-01-01") for n in range(30))
    memory = Memory.of([now, MemoryDocument("b", "B", "0", later)])
    found = load_mode("lexical_baseline", memory, state=state("2024-01-01")).search("alpha beta", 5)
    assert found.ranking == load_mode("lexical_baseline", Memory.of([now])).search("alpha beta", 5).ranking
    assert units(load_mode("lexical_baseline", memory).search("alpha beta", 1)) == ["a:2"]  # at no time in particular


def test_a_name_that_only_holds_later_does_not_hide_a_shorter_one() -> None:
    now = part("a", ["rent"], mentions=[(1, "york")])
    later = MemoryDocument(
        "b", "B", "0", (Unit("b:1", "b", "x", valid_from="2030-01-01"),), (), (EntityMention("b:1", "new york", ""),)
    )
    found = load_mode("ppr", Memory.of([now, later]), state=state("2024-01-01")).search("new york", 5)
    assert units(found) == ["a:1"]
    assert [each.node for each in found.trace if each.seed] == ["entity:york"]


def test_a_name_that_only_holds_later_is_no_synonym() -> None:
    now = part("a", ["rent", "roof"], mentions=[(1, "ab"), (2, "ab")])
    later = MemoryDocument(
        "b", "B", "0", (Unit("b:1", "b", "x", valid_from="2030-01-01"),), (), (EntityMention("b:1", "aabb", ""),)
    )
    name = "ppr,seeds=lexical,synonyms=0.8"
    found = load_mode(name, lease_memory(now, later), state=state("2024-01-01")).search("rent", 5)
    assert scores(found) == pytest.approx(scores(load_mode(name, lease_memory(now)).search("rent", 5)))
    assert scores(found) != pytest.approx(scores(load_mode(name, lease_memory(now, later)).search("rent", 5)))


class Counting(MemoryState):
    """Knows whose strength was computed."""

    def strength(self, unit: str) -> float:
        asked.append(unit)
        return super().strength(unit)


asked: list[str] = []


@pytest.mark.parametrize("name", DYNAMIC)
@pytest.mark.parametrize("others", [2, 500])  # fewer than are touched, and more
def test_only_what_a_search_touches_has_its_strength_computed(name: str, others: int) -> None:
    islands = part("z", [f"zebra{n}" for n in range(others)])
    own = Counting(Clock("2024-06-01"))
    own.confirm(["lease:3", *(unit.id for unit in islands.units)])
    asked.clear()
    found = load_mode(name, Memory.of([lease(), islands]), state=own).search(QUERY, 99)
    assert "lease:3" in asked
    assert set(asked) <= set(units(found))
    assert len(asked) == len(set(asked))


def test_units_of_the_state_that_are_gone_from_the_memory_do_not_matter() -> None:
    own = state()
    own.confirm(["old:1"])
    own.supersede("old:2", by="old:1")
    memory = lease_memory()
    assert load_mode("weighted_graph", memory, state=own).search(QUERY, 5) == load_mode(
        "weighted_graph", memory
    ).search(QUERY, 5)
