"""Which index of a server is searched: its name, what is recorded of it, and what it cannot be told."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.retrieval.base import Passages, load_retriever
from constraintsuite.models.retrieval.opensearch.retriever import identify_opensearch
from constraintsuite.suites.recipe import CandidateSettings
from models.retrieval.opensearch_server import PASSAGES, TEXTS, SearchState, serving


@pytest.mark.parametrize(
    "other",
    [
        SearchState({**TEXTS, "f": "nut"}),
        SearchState(TEXTS, k1=0.9),
        SearchState(TEXTS, b=0.4),
        SearchState(TEXTS, settings={"uuid": "u-2"}),
        SearchState(TEXTS, settings={"analysis": {"analyzer": {"default": {"type": "whitespace"}}}}),
    ],
    ids=["documents", "k1", "b", "made anew", "analyser"],
)
def test_another_index_is_another_fingerprint(server: SearchState, other: SearchState) -> None:
    with serving(other):
        one, two = (load_retriever(state.retriever, Passages(), Workbench()) for state in (server, other))
        assert one.fingerprint != two.fingerprint


def test_the_same_index_elsewhere_and_asked_otherwise_is_the_same(server: SearchState) -> None:
    with serving(SearchState(TEXTS, settings={"refresh_interval": "30s"})) as other:
        names = [server.retriever, f"{other.retriever},timeout=5,batch=7,retries=0"]
        assert len({load_retriever(name, Passages(), Workbench()).fingerprint for name in names}) == 1


def test_the_index_is_described_as_its_server_does(server: SearchState) -> None:
    told = load_retriever(server.retriever, Passages(), Workbench()).describe()
    expected = {"documents": 5, "similarity": "BM25", "k1": 1.2, "b": 0.75, "analyser": "english", "field": "text"}
    assert expected.items() <= told.items()


def test_making_one_asks_nothing(server: SearchState) -> None:
    load_retriever(server.retriever, PASSAGES, Workbench())
    assert server.calls == []


def test_no_index_is_told(server: SearchState) -> None:
    with pytest.raises(UserError, match=r"127.0.0.1:\d+: there is no index 'other'\. `GET .*/_cat/indices` lists them"):
        identify_opensearch(f"opensearch:{server.address}/other")


def test_a_missing_field_is_answered_with_those_there_are(server: SearchState) -> None:
    with pytest.raises(
        UserError, match=r"no field 'body' to search\. Its fields of text: text\. Say which one: field=NAME"
    ):
        identify_opensearch(f"{server.retriever},field=body")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("opensearch", r"as in opensearch:http://localhost:9200/INDEX"),
        ("opensearch:http://localhost:9200", r"as in opensearch:http://localhost:9200/INDEX"),
        ("opensearch:localhost/index", r"as in opensearch:http://localhost:9200/INDEX"),
        ("opensearch:http://host:9200/a*", r"as in opensearch:http://localhost:9200/INDEX"),
        ("opensearch:http://ann:word@host:9200/a", r"the address carries a password"),
        ("opensearch:http://host:9200/a,fild=b", r"fild: unknown key.*Options: .*field: the field of the index"),
        ("opensearch:http://host:9200/a,login_env=NOT_SET_HERE", r"login_env names an environment variable that holds"),
        ("opensearch:http://host:9200/a,key_env=NOT_SET_HERE", r"key_env names is not set"),
    ],
)
def test_a_wrong_name_is_told_before_anything_is_asked(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_retriever(text, Passages(), Workbench())


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"k1": 1.2}, "k1 and b are the index's own"),
        ({"b": 0.75}, "k1 and b are the index's own"),
        ({"stem": False}, "stop_list and stem belong to the engine bm25"),
    ],
)
def test_settings_that_the_server_would_ignore_are_refused(setting: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        CandidateSettings.model_validate({"engine": "opensearch:http://host:9200/a", **setting})
