"""The parts of `benchmarks/memory.py`: documents that are what they are said to be, loops that find what the modes find."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.memory import Memory

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from memory_documents import UNITS, name, write_documents
from memory_loops import LOOPED, Loops, dense_by_numbers, dense_by_rows
from memory_scale import Row


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder = tmp_path_factory.mktemp("contracts") / "documents"
    return Memory.of(ingest([write_documents(folder, 10 * UNITS, seed=1)]))


def test_the_documents_have_as_many_units_as_asked_for_and_every_kind_of_link(memory: Memory) -> None:
    graph = memory.graph
    assert len(graph.units) == 10 * UNITS
    edges = [graph.edge(number) for number in range(len(graph.edges.source))]
    kinds = Counter(edge.kind for edge in edges)
    assert {"next", "refers_to", "depends_on", "exception_to", "mentions"} <= kinds.keys()
    between = {
        edge.kind
        for edge in edges
        if edge.kind != "mentions" and edge.source.split(":")[0] != edge.target.split(":")[0]
    }
    assert "refers_to" in between


def test_the_same_seed_writes_the_same_documents(tmp_path: Path) -> None:
    one, two = (write_documents(tmp_path / place, UNITS, seed=3) for place in ("one", "two"))
    assert (one / "d000000.md").read_bytes() == (two / "d000000.md").read_bytes()


def test_no_two_documents_have_the_same_name() -> None:
    assert len({name(number) for number in range(5_000)}) == 5_000


@pytest.mark.parametrize("mode", LOOPED)
def test_a_loop_finds_what_the_mode_finds(memory: Memory, mode: str) -> None:
    queries = [" ".join(unit.text.split()[:8]) for unit in memory.graph.units[::40]]
    assert Loops(memory).seconds(mode, queries) > 0  # it raises where a score is another


def test_a_loop_that_finds_something_else_is_not_timed(memory: Memory) -> None:
    loops = Loops(memory)
    loops._neighbours.clear()
    with pytest.raises(AssertionError, match="the loop has other scores"):
        loops.seconds("ppr,seeds=lexical", [memory.graph.units[0].text])


def test_vectors_are_compared_by_both_loops(memory: Memory) -> None:
    rows = np.random.default_rng(0).standard_normal((7, 5), dtype=np.float32)
    assert dense_by_rows(rows) == pytest.approx((rows @ rows[0]).tolist())
    assert dense_by_numbers(rows)[0] == pytest.approx(float(rows[0] @ rows[0]))


@pytest.mark.parametrize(
    ("row", "said"),
    [(Row("x", 3.0, "ms", 2), "MISSED"), (Row("x", 3.0, "", 2, at_most=False), "met"), (Row("x", 3.0, "s"), "")],
)
def test_a_target_that_is_missed_is_said_to_be(row: Row, said: str) -> None:
    assert row.cells()[-1] == said
