"""What holds for every mode: an exact budget, an order without chance, and no ear for single words."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import constraintsuite.memory.modes as folder
from constraintsuite.core.errors import UserError
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.modes.base import load_mode
from memory.modes.lease import TEXTS, lease, lease_memory, memories, queries
from memory.tiny_parts import part

ALL = [f"{name}:bm25" if name.endswith("_rerank") else name for name in MODES.names()]
WALKING = [name for name in MODES.names() if name.startswith(("structure", "weighted", "activation"))] + ["ppr"]
QUERY = "Who repairs the boiler, and may Acme Ltd terminate?"
# What the earlier engine listened for; none of these stands in the lease.
CUES = (
    "if",
    "when",
    "after",
    "depends",
    "override",
    "defective",
    "recover",
    "escalate",
    "who should",
    "unless",
    "except",
)


@pytest.fixture(scope="module")
def memory() -> Memory:
    return lease_memory()


@pytest.mark.parametrize("budget", [0, 1, 2, 5, 99])
@pytest.mark.parametrize("name", ALL)
def test_a_mode_returns_exactly_the_budget_as_far_as_something_matches(name: str, budget: int, memory: Memory) -> None:
    found = load_mode(name, memory).search(QUERY, budget).ranking
    most = len(load_mode(name, memory).search(QUERY, len(TEXTS)).ranking)
    assert len(found) == min(budget, most)
    assert most >= 4


@pytest.mark.parametrize("name", ALL)
def test_ranks_count_up_and_scores_go_down(name: str, memory: Memory) -> None:
    found = load_mode(name, memory).search(QUERY, 5).ranking
    assert [each.rank for each in found] == list(range(1, len(found) + 1))
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert len({each.unit for each in found}) == len(found)


@pytest.mark.parametrize("name", ALL)
def test_a_smaller_budget_is_the_beginning_of_a_larger_one(name: str, memory: Memory) -> None:
    mode = load_mode(name, memory)
    assert mode.search(QUERY, 2).ranking == mode.search(QUERY, 5).ranking[:2]


@pytest.mark.parametrize("name", ALL)
def test_a_budget_below_zero_is_refused(name: str, memory: Memory) -> None:
    with pytest.raises(UserError, match="A budget of -1 units is impossible"):
        load_mode(name, memory).search(QUERY, -1)


@pytest.mark.parametrize("query", ["", " \n"])
@pytest.mark.parametrize("name", ALL)
def test_an_empty_query_finds_nothing(name: str, query: str, memory: Memory) -> None:
    found = load_mode(name, memory).search(query, 5)
    assert (found.ranking, found.paths, found.trace) == ((), (), ())


@pytest.mark.parametrize("name", ALL)
def test_an_empty_memory_has_nothing(name: str) -> None:
    assert load_mode(name, lease_memory(part("empty", []))).search(QUERY, 5).ranking == ()


@pytest.mark.parametrize("name", ALL)
def test_two_searches_agree(name: str, memory: Memory) -> None:
    mode = load_mode(name, memory)
    assert mode.search(QUERY, 3) == mode.search(QUERY, 3) == load_mode(name, lease_memory()).search(QUERY, 3)


@pytest.mark.parametrize("cue", CUES)
@pytest.mark.parametrize("name", [name for name in WALKING if not name.endswith("_v1")])
def test_words_that_no_unit_holds_change_nothing(name: str, cue: str) -> None:
    memory = Memory.of([lease()])
    mode = load_mode(name, memory)
    plain, cued = mode.search("repairs boiler", 5), mode.search(f"{cue} repairs boiler {cue}", 5)
    assert (plain.ranking, plain.paths, plain.trace) == (cued.ranking, cued.paths, cued.trace)


def test_no_mode_reads_the_query_itself() -> None:
    """The query goes to indices, models and the answer; `strip` tells whether there is one. Nothing else looks at it."""
    takers = {
        "find",
        "walk",
        "spread",
        "lexical",
        "coverage",
        "dense",
        "entity_numbers",
        "relevance",
        "search",
        "_scores",
        "SearchAnswer",
        "strip",
    }
    used = set()
    for path in sorted(Path(folder.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id == "query":
                used.add(_taker(node, parents))
    assert used <= {*takers, "a pair for the scorer"}
    assert "lexical" in used


def _taker(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    parent = parents[node]
    if isinstance(parent, ast.Attribute):
        return parent.attr
    if isinstance(parent, ast.Call):
        return parent.func.attr if isinstance(parent.func, ast.Attribute) else ast.unparse(parent.func)
    if isinstance(parent, ast.Tuple) and isinstance(parents[parent], ast.ListComp):
        return "a pair for the scorer"
    return ast.unparse(parent)


@pytest.mark.parametrize("name", ALL)
def test_a_mode_says_what_it_settled_on_in_json(name: str, memory: Memory) -> None:
    described = load_mode(name, memory).describe()
    assert json.loads(json.dumps(described)) == described
    assert described["mode"] == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pprr", "No mode named 'pprr'. Did you mean 'ppr'?"),
        ("ppr,dampening=0.5", "Mode 'ppr': dampening: unknown key, perhaps misspelt. Options: kinds: "),
        ("ppr,damping=2", "Mode 'ppr': damping: Input should be less than or equal to 0.95, got '2'."),
        ("ppr:fast", "Mode 'ppr:fast': ppr takes options only, as in ppr,OPTION=VALUE."),
        ("ppr,kinds=next+nearby", "Mode 'ppr': kinds.1: "),
        ("lexical_baseline,k1=2", "Mode 'lexical_baseline': k1: unknown key, perhaps misspelt. Options: none."),
        ("activation_spreading_v1,boost=1", "decay * (1 + boost) must be below 1"),
        ("activation_spreading_static,boost=0.1", "boost: unknown key"),
        ("hybrid_rerank", "name the model that reranks, as in hybrid_rerank:cross:NAME_OR_FOLDER"),
        ("hybrid_rerank:bm25,depth=0", "Mode 'hybrid_rerank': depth: "),
        ("hybrid_rerank:bm25,deepth=3", "deepth"),
    ],
)
def test_a_wrong_name_or_option_is_refused_before_a_search(text: str, said: str, memory: Memory) -> None:
    with pytest.raises(UserError) as refused:
        load_mode(text, memory)
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["embedding_baseline", "hybrid", "ppr,seeds=dense"])
def test_a_memory_without_vectors_is_refused_by_what_needs_them(name: str) -> None:
    with pytest.raises(UserError, match="This memory has no vectors"):
        load_mode(name, Memory.of([lease()])).search(QUERY, 3)


@pytest.mark.parametrize("name", ["weighted_graph", "activation_spreading_v1", "ppr"])
@settings(max_examples=50)
@given(memory=memories(), query=queries, budget=st.integers(0, 8))
def test_no_graph_makes_a_mode_exceed_its_budget(name: str, memory: Memory, query: str, budget: int) -> None:
    found = load_mode(name, memory).search(query, budget).ranking
    assert len(found) <= budget
    assert len({each.unit for each in found}) == len(found)


@pytest.mark.parametrize("name", WALKING)
def test_a_unit_that_matches_alone_comes_first_whatever_its_neighbours(name: str, memory: Memory) -> None:
    """No walk has to leave its seed: the one clause about notices stands on an island, and is found."""
    found = load_mode(f"{name},seeds=lexical", memory).search("notices in writing", 3)
    assert [each.unit for each in found.ranking] == ["lease:5"]
    assert [[step.node for step in path.steps] for path in found.paths] == [["lease:5"]]
