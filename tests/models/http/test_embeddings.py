from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.http.errors import BadAnswerError
from constraintsuite.models.base import Describing, Scorer, Workbench
from constraintsuite.models.http.embeddings import read_vectors
from constraintsuite.models.model_names import load_scorer
from models.http.servers import Server, vector_of

PAIRS = [("soup without cream", "leek soup"), ("soup without cream", "soup with cream"), ("dogs", "soup with dogs")]


def load(server: Server, rest: str, bench: Workbench | None = None) -> Scorer:
    return load_scorer(f"http:{server.url(rest)}", bench or Workbench())


def cosine(one: str, other: str) -> float:
    a, b = (np.array(vector_of(text), dtype=np.float32).astype(np.float64) for text in (one, other))
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


@pytest.mark.parametrize("path", ["/v1/embeddings", "/embed", "/x/embed,format=embeddings"])
def test_scores_are_the_cosine_of_the_servers_vectors(server: Server, path: str) -> None:
    assert load(server, path).score(PAIRS).tolist() == pytest.approx([cosine(*pair) for pair in PAIRS])


def test_each_text_is_sent_once_with_the_prompt_of_its_role(server: Server) -> None:
    rest = "/v1/embeddings,model=m,batch=2,concurrency=1,query_prompt=Q: ,document_prompt=D: "
    load(server, rest).score(PAIRS)
    assert [asked.body for asked in server.requests] == [
        {"model": "m", "input": ["Q: soup without cream", "Q: dogs"]},
        {"model": "m", "input": ["D: leek soup", "D: soup with cream"]},
        {"model": "m", "input": ["D: soup with dogs"]},
    ]


def test_text_embeddings_inference_is_asked_neither_to_normalise_nor_to_cut(server: Server) -> None:
    load(server, "/embed,similarity=dot").score(PAIRS[:1])
    assert server.requests[0].body == {"inputs": ["soup without cream"], "normalize": False, "truncate": False}


def test_another_similarity_can_be_chosen(server: Server) -> None:
    (score,) = load(server, "/v1/embeddings,similarity=dot").score([("soup", "soup soup")])
    assert score == pytest.approx(2.0 + 0.04 * 0.09)


def test_a_rerun_asks_nothing_and_knows_the_model(server: Server, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    scores = []
    for _ in range(2):
        scorer = load(server, "/v1/embeddings", bench)
        scores.append(scorer.score(PAIRS).tolist())
        assert isinstance(scorer, Describing)
        assert scorer.describe()["models_in_answers"] == ["words-1"]
        assert scorer.describe()["similarity"] == "cosine"
    assert scores[0] == scores[1]
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", ["few", "many", "repeated", "range", "nan", "null", "shape", "garbage"])
def test_a_spoilt_answer_is_refused(server: Server, fault: str) -> None:
    server.faults.append(fault)
    with pytest.raises(UserError, match="unusable answer"):
        load(server, "/v1/embeddings,retries=0").score(PAIRS)


@pytest.mark.parametrize(
    "answer",
    [
        [[1.0, 2.0]],
        [[1.0], [1.0, 2.0]],
        [[], []],
        [1.0, 2.0],
        ["ab", "cd"],
        "ab",
        {"data": "ab"},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
    ],
)
def test_what_is_no_list_of_two_equal_vectors_is_refused(answer: object) -> None:
    with pytest.raises(BadAnswerError):
        read_vectors(answer, 2)


BASE = "http:http://localhost/v1/embeddings"


@pytest.mark.parametrize(
    "option", ["model=m", "similarity=dot", "query_prompt=Q", "document_prompt=D", "format=tei-embed"]
)
def test_the_fingerprint_holds_what_decides_a_score(option: str) -> None:
    assert load_scorer(BASE, Workbench()).fingerprint != load_scorer(f"{BASE},{option}", Workbench()).fingerprint
