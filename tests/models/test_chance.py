from __future__ import annotations

import hashlib

import numpy as np

from constraintsuite.models.chance import RandomScorer

PAIRS = [(f"query {i % 50}", f"text {i}") for i in range(2_000)]


def test_scores_depend_on_seed_query_and_text_alone() -> None:
    scorer = RandomScorer(3)
    assert scorer.score(PAIRS[:5]).tolist() == scorer.score(PAIRS)[:5].tolist()
    assert scorer.score(PAIRS).tolist() != RandomScorer(4).score(PAIRS).tolist()


def test_scores_are_the_same_on_every_machine() -> None:
    digest = hashlib.blake2b(b"random\x1f7\x1fsoups without cream\x1fA soup.", digest_size=8).hexdigest()
    assert RandomScorer(7).score([("soups without cream", "A soup.")]).tolist() == [int(digest, 16) / 2**64]


def test_scores_are_spread_evenly() -> None:
    scores = RandomScorer(0).score(PAIRS)
    assert scores.min() >= 0
    assert scores.max() < 1
    assert np.histogram(scores, bins=4, range=(0, 1))[0].min() > 430  # 500 expected, standard deviation 19
    assert len(set(scores.tolist())) == len(PAIRS)
