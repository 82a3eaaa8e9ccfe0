"""A memory: a graph that can be searched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.memory import Memory
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.retrieval.bm25 import Bm25Settings
from memory.tiny_parts import LetterEncoder, part

LEASE = part(
    "lease", ["The tenant pays.", "The boiler fails."], [("lease:1", "lease:2", "next")], headings=("Repairs",)
)
ANNEX = part("annex", ["The pump of the boiler."], mentions=[(1, "boiler"), (1, "pump"), (1, "boiler pump")])


def letters() -> DenseScorer:
    return DenseScorer("letters", LetterEncoder(), "dot")


def test_each_unit_has_a_lexical_score_in_the_order_of_the_graph() -> None:
    memory = Memory.of([LEASE, ANNEX])
    assert [unit.id for unit in memory.graph.units] == ["annex:1", "lease:1", "lease:2"]
    assert (memory.lexical("the boiler") > 0).tolist() == [True, False, True]
    assert memory.lexical("").tolist() == [0, 0, 0]


def test_units_that_are_not_visible_do_not_count_in_the_statistics() -> None:
    memory = Memory.of([LEASE, part("annex", ["The pump of the boiler.", "Gone soon."])])
    seen = np.array([unit.document == "lease" for unit in memory.graph.units])
    alone = Memory.of([LEASE])
    for query in ("boiler pump", "tenant", "repairs"):
        assert memory.lexical(query, seen)[seen].tolist() == alone.lexical(query).tolist()
        assert memory.coverage(query, seen)[seen].tolist() == alone.coverage(query).tolist()
        assert not memory.lexical(query, seen)[~seen].any()
        assert memory.lexical(query, np.ones_like(seen)).tolist() == memory.lexical(query).tolist()


def test_headings_are_searched() -> None:
    assert (Memory.of([LEASE, ANNEX]).lexical("repairs") > 0).tolist() == [False, True, True]


def test_the_settings_of_bm25_count() -> None:
    assert (Memory.of([LEASE]).lexical("pay fail") > 0).all()
    unstemmed = Memory.of([LEASE], bm25=Bm25Settings(stem=False, stop_list="none"))
    assert unstemmed.lexical("pay fail").tolist() == [0, 0]
    assert (unstemmed.lexical("the") > 0).all()


def test_each_unit_has_a_dense_score() -> None:
    memory = Memory.of([LEASE, ANNEX], letters())
    assert memory.vectors().tolist() == [[0, 1, 0], [3, 0, 0], [2, 1, 0]]  # a, b and c in each text with its headings
    assert memory.dense("ab").tolist() == [1, 3, 3]


def test_without_an_encoder_there_are_no_vectors() -> None:
    for ask in (Memory.of([LEASE]).vectors, lambda: Memory.of([LEASE]).dense("a")):
        with pytest.raises(UserError, match="Open it with an encoder"):
            ask()


def test_entities_are_numbered_as_nodes() -> None:
    memory = Memory.of([LEASE, ANNEX])
    found = memory.entity_numbers("Does the pump, or the boiler pump, leak?")
    assert [memory.graph.node_id(number) for number in found.tolist()] == ["entity:pump", "entity:boiler pump"]


def test_an_edge_can_be_left_out() -> None:
    memory = Memory.of([LEASE], letters())
    other = memory.without([0])
    assert (len(other.graph.edges.source), len(memory.graph.edges.source)) == (0, 1)
    assert other.lexical("tenant").tolist() == memory.lexical("tenant").tolist()


def test_an_empty_memory_answers() -> None:
    memory = Memory(letters())
    assert (memory.lexical("a").tolist(), memory.dense("a").tolist(), memory.entity_numbers("a").tolist()) == (
        [],
        [],
        [],
    )


def test_vectors_come_from_the_cache(tmp_path: Path) -> None:
    Memory.of([LEASE], letters(), cache=tmp_path)
    encoder = LetterEncoder()
    Memory.of([LEASE], DenseScorer("letters", encoder, "dot"), cache=tmp_path)
    assert encoder.asked == []
