from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.http.errors import BadAnswerError
from constraintsuite.models.base import Describing, Scorer, Workbench
from constraintsuite.models.http.client import QueryTexts
from constraintsuite.models.http.rerank import read_scores, requests_of
from constraintsuite.models.model_names import load_scorer
from models.http.servers import KEY, Server, overlap

PAIRS = [
    ("soup with leeks", "leek soup"),
    ("soup with leeks", "soup with cream"),
    ("dogs", "no dogs here"),
    ("soup with leeks", "bread"),
    ("dogs", "leek soup"),
    ("soup with leeks", "leek soup"),
]


def load(server: Server, rest: str, bench: Workbench | None = None) -> Scorer:
    return load_scorer(f"http:{server.url(rest)}", bench or Workbench())


def logit(score: float) -> float:
    return math.log(score / (1 - score))


@pytest.mark.parametrize("path", ["/v2/rerank,model=m", "/v1/rerank", "/rerank,format=cohere", "/rerank,format=jina"])
def test_cohere_and_jina_scores_are_taken_as_they_come(server: Server, path: str) -> None:
    scores = load(server, path).score(PAIRS).tolist()
    assert [logit(score) for score in scores] == pytest.approx([overlap(*pair) for pair in PAIRS])
    assert all(0 < score < 1 for score in scores)


@pytest.mark.parametrize("path", ["/rerank", "/rerank,format=tei", "/anything/else"])
def test_text_embeddings_inference_is_asked_for_raw_scores(server: Server, path: str) -> None:
    server.strict = "texts"
    assert load(server, path).score(PAIRS).tolist() == [overlap(*pair) for pair in PAIRS]  # to the last bit


def test_a_query_is_asked_once_with_its_distinct_texts(server: Server) -> None:
    load(server, "/v2/rerank,model=m").score(PAIRS)
    bodies = sorted((asked.body for asked in server.requests), key=lambda body: body["query"])
    assert bodies == [
        {"model": "m", "query": "dogs", "documents": ["no dogs here", "leek soup"], "top_n": 2},
        {
            "model": "m",
            "query": "soup with leeks",
            "documents": ["leek soup", "soup with cream", "bread"],
            "top_n": 3,
        },
    ]


def test_a_long_list_is_sent_in_parts(server: Server) -> None:
    pairs = [("soup", f"soup {i}") for i in range(7)]
    assert load(server, "/rerank,format=tei,batch=3").score(pairs).tolist() == [overlap(*pair) for pair in pairs]
    assert sorted(len(asked.body["texts"]) for asked in server.requests) == [1, 3, 3]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz"))), st.integers(1, 4))
def test_requests_hold_every_distinct_pair_once(pairs: list[tuple[str, str]], batch: int) -> None:
    requests = requests_of(pairs, batch)
    asked = [(request.query, text) for request in requests for text in request.texts]
    assert sorted(asked) == sorted(set(pairs))
    assert all(1 <= len(request.texts) <= batch for request in requests)


def test_auto_tries_the_other_format_when_the_server_does_not_understand(server: Server, tmp_path: Path) -> None:
    server.strict = "documents"
    bench = Workbench(cache=tmp_path)
    first = load(server, "/rerank", bench)
    scores = first.score(PAIRS).tolist()
    assert [logit(score) for score in scores] == pytest.approx([overlap(*pair) for pair in PAIRS])
    assert isinstance(first, Describing)
    assert first.describe()["format"] == "jina"
    before = len(server.requests)
    again = load(server, "/rerank", bench)
    assert again.score(PAIRS).tolist() == scores
    assert len(server.requests) == before  # not even to find out the format
    assert isinstance(again, Describing)
    assert again.describe() == first.describe()


def test_auto_tells_what_the_server_said_to_each_format(server: Server) -> None:
    server.strict = "passages"
    with pytest.raises(UserError, match=r"no wire format fits.*tei: .*missing field.*jina: .*missing field"):
        load(server, "/rerank").score(PAIRS)


def test_auto_does_not_take_a_missing_key_for_another_format(server: Server) -> None:
    server.faults.append("401")
    with pytest.raises(UserError, match=r"\(401\): .*\w\. Set key_env=NAME"):
        load(server, "/rerank").score(PAIRS)
    assert len(server.requests) == 1


def test_the_key_comes_from_the_environment_and_stands_nowhere(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RERANK_KEY", KEY)
    scorer = load(server, "/v1/rerank,key_env=RERANK_KEY", Workbench(cache=tmp_path))
    scorer.score(PAIRS)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert isinstance(scorer, Describing)
    assert KEY not in json.dumps(scorer.describe()) + scorer.name + scorer.fingerprint
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_what_is_said_of_the_model(server: Server) -> None:
    scorer = load(server, "/v2/rerank,model=m,batch=2")
    scorer.score(PAIRS)
    assert isinstance(scorer, Describing)
    assert scorer.describe() == {
        "address": server.url("/v2/rerank"),
        "format": "cohere",
        "model_asked_for": "m",
        "models_in_answers": ["m-2026"],
        "texts_a_request": 2,
        "scores": "as the server gives them",
        "cutting": "not known: the server may cut texts without a word",
    }


BASE = "http:http://localhost/rerank"


@pytest.mark.parametrize(
    "other",
    [
        "http:http://localhost:81/rerank",
        f"{BASE},format=tei",
        f"{BASE},model=m",
        f"{BASE},batch=2",
        f"{BASE},truncate=yes",
    ],
)
def test_the_fingerprint_holds_what_decides_a_score(other: str) -> None:
    assert load_scorer(BASE, Workbench()).fingerprint != load_scorer(other, Workbench()).fingerprint


@pytest.mark.parametrize("other", [f"{BASE},retries=1", f"{BASE},concurrency=1", f"{BASE},timeout=2.5"])
def test_the_fingerprint_holds_nothing_else(other: str) -> None:
    assert load_scorer(BASE, Workbench()).fingerprint == load_scorer(other, Workbench()).fingerprint


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("http:localhost:8080/rerank", "is not an address.*http:http://localhost:8080/rerank"),
        ("http://localhost:8080/rerank", "is not an address.*http:http://localhost:8080/rerank"),
        ("http:http://localhost:port/rerank", "is not an address"),
        ("http:http://[::1/rerank", "is not an address"),
        ("http:ftp://localhost/rerank", "is not an address"),
        ("http:http://me:secret@localhost/rerank", "key_env=NAME"),
        ("http:http://localhost/rerank?api_key=secret", "key_env=NAME"),
        ("http:http://localhost/rerank,format=coher", "'cohere', 'jina' or 'tei'"),
        ("http:http://localhost/rerank,key_env=NO_SUCH_VARIABLE", "not set"),
        ("http:http://localhost/rerank,key_env=sk-secret", "never the key itself"),
        ("http:http://localhost/rerank,timeout=no,key_env=sk_secret", "timeout: .*got 'no'"),
        ("http:http://localhost/rerank,key=sk_secret", "key: unknown key"),
        ("http:http://localhost/rerank,key_env=sk-secret,key_env=A", "is given twice"),
        ("http:localhost/rerank,key_env=sk-secret", "is not an address"),
        ("http:http://localhost/rerank,batch=0", "batch"),
        ("http:http://localhost/rerank,query_prompt=x", "query_prompt: unknown key"),
    ],
)
def test_wrong_names_are_explained(model: str, words: str) -> None:  # those with a secret in them, without it
    with pytest.raises(UserError, match=words) as caught:
        load_scorer(model, Workbench())
    assert "secret" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["results", "index", "score", "relevance_score", "model"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_comes_is_a_score_for_each_text_or_refused(answer: object) -> None:
    request = QueryTexts("q", ("a", "b"))
    try:
        scores = read_scores(answer, request).values
    except BadAnswerError:
        return
    assert scores.shape == (2,)
    assert all(math.isfinite(score) for score in scores)
