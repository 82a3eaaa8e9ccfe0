"""Walks over synonyms: told as what they are, part of what was computed, and there only where asked for."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise

import pytest
from hypothesis import given, settings

from constraintsuite.core.errors import UserError
from constraintsuite.memory.entities import EntitySynonyms, NameVectors
from constraintsuite.memory.graph import BoolArray
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.models.dense import DenseScorer
from memory.modes.lease import WORDS, parts, queries
from memory.modes.test_walks import edge_walked
from memory.tiny_parts import LetterEncoder, part

MODES = ["ppr,seeds=lexical", "ppr,seeds=lexical,entities=0.2", "activation_spreading_static,seeds=lexical,threshold=0"]
NAMES = ("aab", "aabb", "ab", "b", "bcc", "cc")
# Of "aab" and "aabb" the cosine is 0.95; no unit names both, and no word joins them.
APART = part("d", ["The roof leaks.", "Slates are kept."], mentions=[(1, "aab"), (2, "aabb")])


def lettered(*documents: MemoryDocument) -> Memory:
    return Memory.of(documents, DenseScorer("letters", LetterEncoder(), "cosine"))


@pytest.mark.parametrize("name", MODES)
def test_a_unit_is_reached_over_names_that_are_alike_and_the_path_says_so(name: str) -> None:
    found = load_mode(f"{name},synonyms=0.9", lettered(APART)).search("roof", 5)
    assert [each.unit for each in found.ranking] == ["d:1", "d:2"]
    (walk,) = (path for path in found.paths if path.steps[-1].node == "d:2")
    assert [(step.node, step.via) for step in walk.steps] == [
        ("d:1", None),
        ("entity:aab", "mentions"),
        ("entity:aabb", "synonym"),
        ("d:2", "mentions"),
    ]
    (transfer,) = (each for each in found.trace if each.edge == "synonym")
    assert (transfer.source, transfer.node, transfer.hop) == ("entity:aab", "entity:aabb", 2)
    assert transfer.passed == walk.steps[2].score > 0


@pytest.mark.parametrize("name", MODES)
def test_without_the_option_and_below_its_cosine_names_are_apart(name: str) -> None:
    memory = lettered(APART)
    plain = load_mode(name, memory).search("roof", 5)
    assert [each.unit for each in plain.ranking] == ["d:1"]
    strict = load_mode(f"{name},synonyms=0.96", memory).search("roof", 5)
    assert (strict.ranking, strict.paths, strict.trace) == (plain.ranking, plain.paths, plain.trace)


@pytest.mark.parametrize("name", ["ppr", "activation_spreading_v1", "activation_spreading_static"])
def test_a_memory_without_an_encoder_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="Synonyms need vectors of names"):
        load_mode(f"{name},synonyms=0.8", Memory.of([APART])).search("roof", 5)


@pytest.mark.parametrize(
    ("option", "said"), [("0.3", "must be 0, or 0.5 and more"), ("1.5", "less than or equal to 1")]
)
def test_a_cosine_that_says_nothing_is_refused(option: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load_mode(f"ppr,synonyms={option}", lettered(APART))


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=50)
@given(document=parts(NAMES), query=queries)
def test_every_step_is_an_edge_or_a_pair_of_names_that_are_alike(
    name: str, document: MemoryDocument, query: str
) -> None:
    memory = lettered(document)
    for path in load_mode(f"{name},synonyms=0.8", memory).search(query, 7).paths:
        for before, step in pairwise(path.steps):
            if step.via == "synonym":
                assert pair_of(memory, before.node, step.node) in pairs(memory.synonyms(0.8))
            else:
                edge_walked(memory.graph, before, step)


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=50)
@given(document=parts(NAMES), query=queries)
def test_taking_a_traced_synonym_away_changes_the_result(name: str, document: MemoryDocument, query: str) -> None:
    memory = lettered(document)
    found = load_mode(f"{name},synonyms=0.8", memory).search(query, 7)
    steps = [each for path in found.paths for each in pairwise(path.steps) if each[1].via == "synonym"]
    for pair in {pair_of(memory, before.node, step.node) for before, step in steps}:
        assert load_mode(f"{name},synonyms=0.8", apart(memory, pair)).search(query, 7) != found


def test_random_graphs_do_have_walks_over_synonyms() -> None:
    document = part("d", list(WORDS), mentions=[(n, name) for n, name in enumerate(NAMES[:4], 1)])
    found = load_mode("ppr,seeds=lexical,synonyms=0.8", lettered(document)).search("boiler", 7)
    assert any(step.via == "synonym" for path in found.paths for step in path.steps)


def pair_of(memory: Memory, one: str, other: str) -> tuple[int, int]:
    first, second = sorted(memory.graph.number(node) - len(memory.graph.units) for node in (one, other))
    return first, second


def pairs(links: EntitySynonyms) -> set[tuple[int, int]]:
    return set(zip(links.first.tolist(), links.second.tolist(), strict=True))


def apart(memory: Memory, pair: tuple[int, int]) -> Memory:
    """The memory in which two names are not alike."""
    other = copy(memory)
    assert memory._names is not None
    other._names = _Less(memory._names, pair)
    return other


class _Less(NameVectors):
    def __init__(self, names: NameVectors, pair: tuple[int, int]) -> None:
        super().__init__(names._index)
        self._pair = pair

    def synonyms(self, names: Sequence[str], least: float, among: BoolArray) -> EntitySynonyms:
        links = super().synonyms(names, least, among)
        kept = (links.first != self._pair[0]) | (links.second != self._pair[1])
        return links.take(kept)
