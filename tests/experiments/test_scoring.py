from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.experiments.scoring import document_id, documents_of, pairs_of, score_pairs
from experiments.tiny_suite import CREAM, CREAMLESS, DOGLESS, IDIOM, LEEKLESS, LEEKS


class Constant:
    """Scores from a list, and remembers what it was asked."""

    name, fingerprint = "constant", "1"

    def __init__(self, value: float = 1.0, extra: int = 0) -> None:
        self.value, self.extra = value, extra
        self.asked: list[int] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        self.asked.append(len(pairs))
        return np.full(len(pairs) + self.extra, self.value)


def test_a_pair_that_several_examples_need_is_scored_once() -> None:
    pairs = pairs_of([CREAMLESS, LEEKLESS])
    queries = {"soups", "soups with cream", "soups with leeks", "soups without cream", "soups without leeks"}
    assert pairs == sorted((query, text) for query in queries for text in (CREAM, LEEKS))
    assert documents_of([CREAMLESS, LEEKLESS]) == sorted([CREAM, LEEKS])


def test_a_controls_twin_query_is_scored_too() -> None:
    assert len(pairs_of([DOGLESS])) == 6
    assert len(pairs_of([DOGLESS, IDIOM])) == 8  # its own query is new; the twin is the original's


def test_a_scorer_sees_all_pairs_at_once_so_that_it_can_plan() -> None:
    scorer = Constant()
    pairs = [("query", str(i)) for i in range(2_500)]
    assert score_pairs(scorer, pairs) == dict.fromkeys(pairs, 1.0)
    assert scorer.asked == [2_500]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(UserError, match=f"'constant' gave {value} to query 'q'"):
        score_pairs(Constant(value), [("q", "text")])


def test_a_model_must_give_one_score_a_pair() -> None:
    with pytest.raises(UserError, match="expected one number each"):
        score_pairs(Constant(extra=1), [("q", "text")])


def test_a_documents_id_is_the_hash_of_its_text() -> None:
    assert document_id("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
