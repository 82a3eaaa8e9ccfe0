"""What a server answers when it cannot, or will not: asked again, or told, and never taken for a ranking."""

from __future__ import annotations

import base64
import json
import socket
from typing import Literal

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import load_retriever
from constraintsuite.models.retrieval.opensearch.retriever import OpenSearchRetriever, identify_opensearch
from models.retrieval.opensearch_server import INDEX, PASSAGES, SPOILT, TEXTS, SearchState


@pytest.mark.parametrize("fault", ["429 0", "503", "502", "shape", *SPOILT])
def test_what_may_pass_is_asked_again(server: SearchState, fault: str) -> None:
    bench = Workbench()
    retriever = OpenSearchRetriever(server.retriever, list(TEXTS), bench)
    retriever.search("nut", 2)
    server.faults.extend([fault, fault])
    assert [hit.document for hit in retriever.search("cream", 2)] == ["b"]
    assert [event.partition(" after ")[0] for event in bench.events] == ["search: 2 requests repeated"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("failed shard", "incomplete answer: only 2 of 3 shards of the index took part"),
        ("unassigned shard", "incomplete answer: only 2 of 3 shards of the index took part"),
        ("timed out", "incomplete answer: the search was broken off before its end"),
        ("terminated early", "incomplete answer: the search was broken off before its end"),
        ("no shards", "it does not say how many shards of the index took part"),
        ("rejected", "429 for a search: rejected execution"),
        ("unavailable", "503 for a search: Search rejected due to missing shards"),
    ],
)
def test_a_part_of_a_ranking_is_never_taken_for_all_of_it(server: SearchState, fault: str, words: str) -> None:
    retriever = OpenSearchRetriever(f"{server.retriever},retries=1", list(TEXTS), Workbench())
    retriever.search("nut", 2)
    server.faults.extend([fault, fault])
    with pytest.raises(UserError, match=f"failed 2 times; .*{words}"):
        retriever.search_all(["nut", "cream"], 2)


@pytest.mark.parametrize("fault", ["failed shard", "unassigned shard"])
def test_a_part_of_the_documents_is_never_counted_as_all(server: SearchState, fault: str) -> None:
    server.faults.extend(["", "", fault])
    facts = OpenSearchRetriever(server.retriever, list(TEXTS), Workbench()).facts
    assert (facts.documents, server.calls.count(f"GET /{INDEX}/_count")) == (len(TEXTS), 2)


@pytest.mark.parametrize("fault", ["413", "400", "406"])
def test_what_will_not_pass_is_told_at_once(server: SearchState, fault: str) -> None:
    words = {"413": r"larger than the server takes \(413; .*Send fewer queries at a time: batch=N$"}
    retriever = OpenSearchRetriever(server.retriever, list(TEXTS), Workbench())
    retriever.search("nut", 2)
    server.faults.append(fault)
    with pytest.raises(UserError, match=words.get(fault, rf"refused the request \({fault}\): rejected execution")):
        retriever.search("cream", 2)


def test_a_server_that_stays_busy_is_told_with_the_time_it_asks_for(server: SearchState) -> None:
    server.faults.append("429 4000")
    with pytest.raises(
        UserError,
        match=r"429 Too Many Requests: .*rejected execution.*again in 4000 s \(the server asks for that delay\)",
    ):
        identify_opensearch(server.retriever)


@pytest.mark.parametrize("setting", [{"max_result_window": "many"}, {"max_result_window": "1e999"}])
def test_a_setting_that_is_no_number_is_told(server: SearchState, setting: dict[str, str]) -> None:
    server.settings = setting
    with pytest.raises(UserError, match=f"max_result_window of the index is '{setting['max_result_window']}'"):
        identify_opensearch(server.retriever)


def test_a_server_that_names_its_similarity_after_the_key_is_stored_without_it(
    server: SearchState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_LOGIN", "a-very-secret-key")
    server.settings = {"similarity": {"default": {"type": "very-secret"}}}
    retriever = load_retriever(f"{server.retriever},key_env=SEARCH_LOGIN", PASSAGES, Workbench())
    assert retriever.describe()["similarity"] == "[key]"


def test_no_server_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(UserError, match=r"failed 2 times.*no connection.*Is the server running\?"):
        identify_opensearch(f"opensearch:http://127.0.0.1:{port}/x,retries=1")


@pytest.mark.parametrize(
    ("option", "value", "sent"),
    [
        ("key_env", "a-b-c-key", "ApiKey a-b-c-key"),
        ("key_env", "id:secret", "ApiKey " + base64.b64encode(b"id:secret").decode()),
        ("login_env", "ann:p:w", "Basic " + base64.b64encode(b"ann:p:w").decode()),
    ],
)
def test_a_login_comes_from_the_environment(
    server: SearchState, monkeypatch: pytest.MonkeyPatch, option: str, value: str, sent: str
) -> None:
    monkeypatch.setenv("SEARCH_LOGIN", value)
    server.authorization = sent
    retriever = load_retriever(f"{server.retriever},{option}=SEARCH_LOGIN", PASSAGES, Workbench())
    assert retriever.search("cream", 1)
    assert value not in json.dumps([retriever.name, retriever.describe(), retriever.fingerprint])


@pytest.mark.parametrize("kind", ["elasticsearch", "opensearch"])
@pytest.mark.parametrize(
    ("option", "value"), [("key_env", "wrong-key"), ("key_env", "id:wrong-word"), ("login_env", "ann:wrong-word")]
)
def test_a_refused_login_is_told_without_it(
    server: SearchState,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    value: str,
    kind: Literal["elasticsearch", "opensearch"],
) -> None:
    monkeypatch.setenv("SEARCH_LOGIN", value)
    server.authorization, server.kind = "ApiKey right", kind
    said = {"elasticsearch": r"unable to authenticate with \[.* \[key\]\]", "opensearch": "Unauthorized"}[kind]
    with pytest.raises(
        UserError, match=rf"refused the request \(401\): {said}.*password that was sent is refused.*login_env=NAME"
    ) as error:
        identify_opensearch(f"{server.retriever},{option}=SEARCH_LOGIN")
    secrets = (value, "wrong-word", base64.b64encode(value.encode()).decode())
    assert not any(secret in str(error.value) for secret in secrets)
