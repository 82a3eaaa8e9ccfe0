"""The baselines: BM25, the encoder, both together, and a model on top."""

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import best, load_mode
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.retrieval.base import Hit
from constraintsuite.models.retrieval.fusion import fuse
from memory.modes.lease import lease, lease_memory
from memory.tiny_parts import LetterEncoder, part

QUERY = "a boiler that Acme Ltd altered"
COVERED = [
    ("hybrid", "coverage=yes"),
    ("structure_only", "seeds=covered"),
    ("activation_spreading_static", "seeds=covered"),
    ("ppr", "seeds=covered"),
]


@pytest.mark.parametrize(
    ("scores", "budget", "among", "expected"),
    [
        ([1, 3, 2], 2, [1, 1, 1], [1, 2]),
        ([1, 3, 2], 2, [1, 0, 1], [2, 0]),
        ([2, 2, 2, 2], 2, [1, 1, 1, 1], [0, 1]),  # ties by order, also at the border
        ([1, 2, 1, 2, 1], 3, [1, 1, 1, 1, 1], [1, 3, 0]),
        ([1], 5, [1], [0]),
        ([1], 0, [1], []),
        ([], 3, [], []),
    ],
)
def test_the_best_are_taken_and_ties_keep_their_order(
    scores: list[float], budget: int, among: list[int], expected: list[int]
) -> None:
    assert best(np.array(scores, float), budget, np.array(among, bool)).tolist() == expected


def test_lexical_scores_are_those_of_the_index_and_headings_are_searched() -> None:
    memory = lease_memory()
    found = load_mode("lexical_baseline", memory).search("lease boiler", 9).ranking
    assert [each.unit for each in found[:2]] == ["lease:1", "lease:2"]
    assert len(found) == 5  # all stand under the heading
    assert found[0].score == memory.lexical("lease boiler")[0]


def test_embedding_ranks_all_units_by_nearness() -> None:
    memory = lease_memory()
    found = load_mode("embedding_baseline", memory).search("abc", 9).ranking
    order = np.argsort(-memory.dense("abc"), kind="stable")
    assert [each.unit for each in found] == [memory.graph.units[i].id for i in order]


def test_hybrid_is_the_fusion_of_both_rankings() -> None:
    memory = lease_memory()
    parts = [load_mode(name, memory).search(QUERY, 5).ranking for name in ("lexical_baseline", "embedding_baseline")]
    expected = fuse([[Hit(each.unit, each.rank, each.score) for each in ranking] for ranking in parts], 5)
    found = load_mode("hybrid", memory).search(QUERY, 5).ranking
    assert [(each.unit, each.rank) for each in found] == [(hit.document, hit.rank) for hit in expected]
    assert [each.score for each in found] == pytest.approx([hit.score for hit in expected])


@pytest.mark.parametrize(("name", "option"), COVERED)
def test_one_accidental_word_does_not_outweigh_the_nearest_vector(name: str, option: str) -> None:
    memory = lettered("tent", "aaaa", *("a" + "b" * n for n in range(14)))
    question = "aaa zoo yonder quilt jump tent"  # one word of the first, and near to the second
    assert load_mode("lexical_baseline", memory).search(question, 1).ranking[0].unit == "d:1"
    assert load_mode(name, memory).search(question, 1).ranking[0].unit == "d:1"
    assert load_mode(f"{name},{option}", memory).search(question, 1).ranking[0].unit == "d:2"


@pytest.mark.parametrize(("name", "option"), COVERED)
def test_what_holds_the_whole_question_is_found_by_its_words(name: str, option: str) -> None:
    memory = lettered("aaaa", "quilt tent", "aab", "ab")
    assert load_mode(f"{name},{option}", memory).search("quilt tent", 1).ranking[0].unit == "d:2"


def lettered(*texts: str) -> Memory:
    return Memory.of([part("d", texts)], DenseScorer("letters", LetterEncoder(), "dot"))


@pytest.mark.parametrize("name", ["hybrid_rerank", "ppr_rerank"])
def test_the_model_decides_the_order_of_what_was_found(name: str) -> None:
    memory = lease_memory()
    first = load_mode(name.removesuffix("_rerank"), memory).search(QUERY, 5).ranking
    found = load_mode(f"{name}:python:memory.modes.test_flat:shortest_first", memory).search(QUERY, 2)
    texts = {each.unit: memory.searched(memory.graph.units[memory.graph.number(each.unit)]) for each in first}
    assert [each.unit for each in found.ranking] == sorted(texts, key=lambda unit: len(texts[unit]))[:2]
    assert all(path.steps[-1].node in {each.unit for each in found.ranking} for path in found.paths)


def shortest_first(pairs: list[tuple[str, str]]) -> list[float]:
    return [-float(len(text)) for _, text in pairs]


def nothing_known(pairs: list[tuple[str, str]]) -> list[float]:
    return [float("nan") for _ in pairs]


def test_a_model_reads_no_more_units_than_the_depth() -> None:
    memory = lease_memory()
    first = load_mode("hybrid", memory).search(QUERY, 2).ranking
    found = load_mode("hybrid_rerank:python:memory.modes.test_flat:shortest_first,depth=2", memory).search(QUERY, 2)
    assert {each.unit for each in found.ranking} == {each.unit for each in first}


def test_options_that_are_not_the_modes_are_the_models() -> None:
    assert load_mode("hybrid_rerank:bm25,depth=3", lease_memory()).describe()["depth"] == 3
    with pytest.raises(UserError, match="Model 'bm25': k1: unknown key"):
        load_mode("hybrid_rerank:bm25,k1=2.0,depth=3", lease_memory())


def test_a_model_that_counts_words_counts_them_in_the_memory() -> None:
    found = load_mode("hybrid_rerank:bm25", lease_memory()).search("acme lease", 5).ranking
    assert found[0].score > 10 * found[-1].score > 0  # the heading is in every unit, the company in two


def test_a_model_that_gives_no_number_is_refused() -> None:
    mode = load_mode("hybrid_rerank:python:memory.modes.test_flat:nothing_known", lease_memory())
    with pytest.raises(UserError, match="gave nan to query"):
        mode.search(QUERY, 2)


def test_seeds_may_be_lexical_dense_or_both() -> None:
    memory = lease_memory()
    rankings = {
        seeds: tuple(
            each.unit for each in load_mode(f"ppr,damping=0,entities=0,seeds={seeds}", memory).search(QUERY, 5).ranking
        )
        for seeds in ("lexical", "dense", "hybrid", "auto")
    }
    flat = {
        name: load_mode(name, memory).search(QUERY, 5).ranking for name in ("lexical_baseline", "embedding_baseline")
    }
    assert rankings["lexical"] == tuple(each.unit for each in flat["lexical_baseline"])
    nearest = tuple(each.unit for each in flat["embedding_baseline"])
    assert nearest[: len(rankings["dense"])] == rankings["dense"]  # the furthest begin with nothing
    assert len(rankings["dense"]) >= 3
    assert rankings["auto"] == rankings["hybrid"]
    plain = Memory.of([lease()])
    assert (
        load_mode("ppr", plain).search(QUERY, 5).ranking
        == load_mode("ppr,seeds=lexical", plain).search(QUERY, 5).ranking
    )
