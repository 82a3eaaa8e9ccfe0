"""Objects with a method `encode`, as models."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.callable import PythonScorer

PAIRS = [("soup", "leek soup"), ("bread", "rye")]


def vectors_of(texts: list[str]) -> list[list[float]]:
    return [[text.count(letter) + 1.0 for letter in "aeo"] for text in texts]


def of_object(**parts: object) -> PythonScorer:
    return PythonScorer("python:mine", SimpleNamespace(**parts), "", Workbench())


def expected(compare: str, query: str, text: str) -> float:
    a, b = np.array(vectors_of([query, text]))
    scores = {
        "dot": a @ b,
        "cosine": a @ b / np.linalg.norm(a) / np.linalg.norm(b),
        "euclidean": -np.linalg.norm(a - b),
        "manhattan": -np.abs(a - b).sum(),
    }
    return float(scores[compare])


@pytest.mark.parametrize(
    ("stated", "similarity"),
    [
        ({}, "cosine"),
        ({"similarity_fn_name": None}, "cosine"),
        ({"similarity_fn_name": "dot"}, "dot"),
        ({"similarity_fn_name": SimpleNamespace(value="euclidean")}, "euclidean"),  # as an enumeration has it
        ({"similarity": "manhattan"}, "manhattan"),
    ],
)
def test_vectors_are_compared_as_the_object_states_or_by_cosine(stated: dict[str, object], similarity: str) -> None:
    scorer = of_object(encode=vectors_of, **stated)
    assert scorer.score(PAIRS).tolist() == pytest.approx([expected(similarity, *pair) for pair in PAIRS])
    assert scorer.describe()["similarity"] == similarity


def test_an_objects_own_similarity_is_asked_pair_by_pair() -> None:
    asked = []

    def similarity(query: list[float], text: list[float]) -> list[list[float]]:
        asked.append((query, text))
        return [[query[0] - 2 * text[2]]]

    scores = of_object(encode=vectors_of, similarity=similarity).score(PAIRS)
    assert asked == [tuple(vectors_of(list(pair))) for pair in PAIRS]
    assert scores.tolist() == [query[0] - 2 * text[2] for query, text in asked]


def test_queries_and_texts_are_encoded_once_and_each_in_their_way() -> None:
    seen: dict[str, list[str]] = {"query": [], "document": []}

    def encode(role: str, sign: float, texts: list[str]) -> list[list[float]]:
        seen[role] += texts
        return [[sign * number for number in vector] for vector in vectors_of(texts)]

    scorer = of_object(
        encode=vectors_of,
        encode_query=lambda texts: encode("query", -1.0, texts),
        encode_document=lambda texts: encode("document", 1.0, texts),
        similarity_fn_name="dot",
    )
    pairs = [(query, str(text)) for query in ("soup", "soap") for text in range(1_000)]  # of two batches
    assert scorer.score(pairs).tolist() == [-expected("dot", *pair) for pair in pairs]
    assert seen == {"query": ["soup", "soap"], "document": [str(text) for text in range(1_000)]}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"encode": lambda texts: vectors_of(texts)[1:]}, "gave a list of 1 for 2 texts.*one vector for each"),
        ({"encode": lambda texts: {"dense": vectors_of(texts), "sparse": []}}, "gave a dict of 2 for 2 texts"),
        ({"encode": lambda texts: 1.0}, "gave a float for 2 texts"),
        ({"encode": lambda texts: [1.0, 2.0]}, r"gave vectors of shape \(2,\) for 2 texts"),
        ({"encode": lambda texts: [[1.0], [1.0, 2.0]]}, r"gave \[\[1.0\], \[1.0, 2.0\]\], expected a vector per text"),
        ({"encode": lambda: []}, "cannot be called so: .* given one list of texts"),
        (
            {"encode": vectors_of, "encode_query": lambda texts: [[1.0] for _ in texts]},
            r"vectors of different sizes: \(1,\), \(3,\)",
        ),
        ({"encode": vectors_of, "similarity_fn_name": "maxsim"}, "similarity 'maxsim'. Known are: cosine, dot"),
        ({"encode": vectors_of, "similarity": lambda a, b: [1.0, 2.0]}, r"similarity gave shape \(2,\) for one query"),
        ({"encode": lambda texts: [[float("nan")] for _ in texts]}, "gave nan to query 'soup'"),
        ({"predict": lambda pairs: [[1.0, 2.0] for _ in pairs]}, r"shape \(2, 2\) for 2 pairs, expected one number"),
    ],
)
def test_an_object_that_gives_something_else_is_told_what_is_expected(parts: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        of_object(**parts).score(PAIRS)
