"""An OpenSearch or Elasticsearch server as a retriever, over real HTTP: rankings, ties, ids, identity, faults."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from opensearch_server import INDEX, SearchState, serving
from pydantic import ValidationError

from constraintsuite.build.recipe import CandidateSettings
from constraintsuite.build.stages.candidates import read_pools
from constraintsuite.cli.main import cli
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import UserError
from constraintsuite.evaluate.ranking.collection import read_collection
from constraintsuite.execution.progress import Advance
from constraintsuite.models.base import Workbench
from constraintsuite.models.http import client
from constraintsuite.retrieval.base import Passages
from constraintsuite.retrieval.bm25 import Bm25Retriever
from constraintsuite.retrieval.naming import load_retriever
from constraintsuite.retrieval.opensearch.retriever import OpenSearchRetriever, identify_opensearch
from evaluate.tiny_suite import write_suite

TEXTS = {
    "e": "leek soup",
    "b": "cream of leek soup with cream",
    "c": "nut salad",
    "d": "leek salad, nut pasta and a long list of other dishes",
    "a": "leek soup",
}
TIED = {f"{number:03}": "leek soup" for number in reversed(range(60))}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT", 0.001)


@pytest.fixture
def server() -> Iterator[SearchState]:
    with serving(SearchState(TEXTS)) as state:
        yield state


class Notes:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        yield lambda items=1: None


def passages(texts: dict[str, str]) -> Passages:
    return Passages(tuple(texts), tuple(texts.values()))


@pytest.mark.parametrize("query", ["leek soup", "nut", "cream", "zebra", ""])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_it_finds_what_bm25_finds(server: SearchState, query: str, k: int) -> None:
    retriever = load_retriever(server.retriever, passages(TEXTS), Workbench())
    assert retriever.search(query, k) == Bm25Retriever(*passages(TEXTS), k1=1.2, b=0.75).search(query, k)


@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(st.sampled_from(["leek soup", "leek", "soup", "nut soup"]), min_size=1, max_size=30),
    known=st.sets(st.integers(0, 29)),
    k=st.integers(0, 12),
    window=st.sampled_from([40, 10_000]),
)
def test_a_ranking_is_the_head_of_all_that_the_corpus_holds(
    texts: list[str], known: set[int], k: int, window: int
) -> None:
    documents = {f"{(number * 7) % 30:02}": text for number, text in enumerate(texts)}
    ids = {f"{number:02}" for number in known} & documents.keys() or {next(iter(documents))}
    with serving(SearchState(documents, window=window)) as state:
        found = OpenSearchRetriever(state.retriever, sorted(ids), Workbench()).search_all(["soup leek", "nut"], k)
        for query, hits in zip(["soup leek", "nut"], found, strict=True):
            whole = [hit for hit in state.bm25.search(query, 30) if hit.document in ids]
            assert [(hit.document, hit.score) for hit in hits] == [(hit.document, hit.score) for hit in whole[:k]]


def test_ties_at_the_cut_are_looked_through_before_the_smallest_ids_are_taken() -> None:
    with serving(SearchState(TIED)) as state:
        found = OpenSearchRetriever(state.retriever, list(TIED), Workbench()).search("leek", 3)
        assert [hit.document for hit in found] == ["000", "001", "002"]
        assert state.depths == [4, 8, 16, 32, 64]


def test_many_queries_travel_in_few_requests_and_equal_ones_once(server: SearchState) -> None:
    queries = ["leek", "soup", "nut", "leek", "cream"]
    retriever = OpenSearchRetriever(f"{server.retriever},batch=2", list(TEXTS), Workbench())
    assert retriever.search_all(queries, 9) == [retriever.search(query, 9) for query in queries]
    assert server.calls.count(f"POST /{INDEX}/_msearch") == 2 + len(queries)


def test_what_lies_beyond_the_window_of_the_index_is_told() -> None:
    notes = Notes()
    with serving(SearchState(TIED, window=10)) as state:
        found = OpenSearchRetriever(state.retriever, list(TIED), Workbench(reporter=notes)).search("leek", 3)
    assert [hit.document for hit in found] == ["050", "051", "052"]
    assert notes.said == [
        "dishes: 1 of 1 queries were cut at 10 documents, more than which the index does not give (index.max_result_window): "
        "there, ties are broken by the server, or places are left empty."
    ]


def test_documents_that_the_index_lacks_are_counted(server: SearchState) -> None:
    notes = Notes()
    retriever = OpenSearchRetriever(server.retriever, [*TEXTS, "y", "z"], Workbench(reporter=notes))
    retriever.search("leek", 2)
    retriever.search("nut", 2)
    assert [line.partition(" documents are not in the index dishes#")[0] for line in notes.said] == ["2 of 7"]


def test_an_index_of_another_corpus_is_refused(server: SearchState) -> None:
    with pytest.raises(
        UserError, match=r"none of the 2 document ids of the corpus \(such as 'x'\) is an _id among the 5 of"
    ):
        OpenSearchRetriever(server.retriever, ["x", "y"], Workbench()).search("leek", 2)


def test_ids_are_counted_in_requests_of_a_thousand() -> None:
    ids = [f"{number:04}" for number in range(2_500)]
    with serving(SearchState({name: "leek" for name in ids[:2_400]})) as state:
        assert OpenSearchRetriever(state.retriever, ids, Workbench()).shared == 2_400
        assert state.calls.count(f"POST /{INDEX}/_count") == 3


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
    load_retriever(server.retriever, passages(TEXTS), Workbench())
    assert server.calls == []


@pytest.mark.parametrize("fault", ["429 0", "503", "partial", "shape", "502"])
def test_what_may_pass_is_asked_again(server: SearchState, fault: str) -> None:
    bench = Workbench()
    retriever = OpenSearchRetriever(server.retriever, list(TEXTS), bench)
    retriever.search("nut", 2)
    server.faults.extend([fault, fault])
    assert [hit.document for hit in retriever.search("cream", 2)] == ["b"]
    assert [event.partition(" after ")[0] for event in bench.events] == ["search: 2 requests repeated"]


def test_a_server_that_stays_busy_is_told_with_the_time_it_asks_for(server: SearchState) -> None:
    server.faults.append("429 4000")
    with pytest.raises(UserError, match=r"429 Too Many Requests: .*too busy.*run again in 4000 s, as the server asks"):
        identify_opensearch(server.retriever)


def test_no_server_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(UserError, match=r"asked 2 times.*no connection.*Is the server running\?"):
        identify_opensearch(f"opensearch:http://127.0.0.1:{port}/x,retries=1")


def test_no_index_is_told(server: SearchState) -> None:
    with pytest.raises(UserError, match=r"127.0.0.1:\d+: there is no index 'other'\. `GET .*/_cat/indices` lists them"):
        identify_opensearch(f"opensearch:{server.address}/other")


def test_a_missing_field_is_answered_with_those_there_are(server: SearchState) -> None:
    with pytest.raises(
        UserError, match=r"no field 'body' to search\. Its fields of text: text\. Say which one: field=NAME"
    ):
        identify_opensearch(f"{server.retriever},field=body")


@pytest.mark.parametrize(
    ("option", "value", "sent"),
    [
        ("key_env", "a-b-c-key", "ApiKey a-b-c-key"),
        ("login_env", "ann:p:w", "Basic " + base64.b64encode(b"ann:p:w").decode()),
    ],
)
def test_a_login_comes_from_the_environment(
    server: SearchState, monkeypatch: pytest.MonkeyPatch, option: str, value: str, sent: str
) -> None:
    monkeypatch.setenv("SEARCH_LOGIN", value)
    server.authorization = sent
    retriever = load_retriever(f"{server.retriever},{option}=SEARCH_LOGIN", passages(TEXTS), Workbench())
    assert retriever.search("cream", 1)
    assert value not in json.dumps([retriever.name, retriever.describe(), retriever.fingerprint])


@pytest.mark.parametrize(("option", "value"), [("key_env", "wrong-key"), ("login_env", "ann:wrong-word")])
def test_a_refused_login_is_told_without_it(
    server: SearchState, monkeypatch: pytest.MonkeyPatch, option: str, value: str
) -> None:
    monkeypatch.setenv("SEARCH_LOGIN", value)
    server.authorization = "ApiKey right"
    with pytest.raises(UserError, match=r"refused the request \(401\).*key_env=NAME.*login_env=NAME") as error:
        identify_opensearch(f"{server.retriever},{option}=SEARCH_LOGIN")
    secrets = (value, "wrong-word", base64.b64encode(value.encode()).decode())
    assert not any(secret in str(error.value) for secret in secrets)


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


def csuite(*arguments: object) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_build_takes_its_pools_from_the_server_and_records_which(tmp_path: Path) -> None:
    documents = list(open_source(SourceSettings(source="sample")).documents(BadRows()))
    texts = {document.id: f"{document.title} {document.text}" for document in documents}
    recipe, stage = tmp_path / "recipe.yaml", tmp_path / "suite" / "stages" / "candidates"
    with serving(SearchState(texts, k1=0.9, b=0.4)) as state:
        recipe.write_text(
            "corpus: {source: sample, limit: 60}\nanalysis: {analyser: rules}\n"
            f"candidates: {{engine: '{state.retriever}'}}\n"
        )
        csuite("build", recipe, "--out", tmp_path / "suite", "--until", "candidates")
        manifest = json.loads((stage / "manifest.json").read_text())
        assert manifest["settings"]["candidates"]["index"] == identify_opensearch(state.retriever)
        ids = {document.id for document in documents[:60]}
        pools = read_pools(stage)
        for query, pool in pools.items():
            found = [hit for hit in state.bm25.search(query, len(texts)) if hit.document in ids]
            assert pool.documents == tuple(hit.document for hit in found[:200])
        assert any(pool.documents for pool in pools.values())


def test_a_suite_is_searched_on_the_server_once(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    with serving(SearchState(dict(zip(*read_collection(suite).passages, strict=True)))) as state:
        command = ("retrieve-eval", suite, "--retriever", state.retriever, "--out", tmp_path / "runs")
        csuite(*command)
        assert f"POST /{INDEX}/_msearch" in state.calls
        asked = len(state.calls)
        csuite(*command)
        assert f"POST /{INDEX}/_msearch" not in state.calls[asked:]
