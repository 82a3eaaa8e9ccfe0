"""Whatever a server does, each client ends in bounded time with one line that says what happened."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.http.client import HttpClient
from constraintsuite.core.store.http.errors import TransientError
from constraintsuite.core.store.http.messages import Limits
from constraintsuite.memory.public.download import LIMITS, PublicFile, fetch_file
from constraintsuite.models.base import Workbench
from constraintsuite.models.http import retrying_client
from constraintsuite.models.http.rerank import RerankScorer
from constraintsuite.models.model_names import load_scorer
from constraintsuite.models.retrieval.opensearch.retriever import identify_opensearch
from core.store.http.hostile import HEAD, KEY, ZEROS, Answer, answering, echo, endless, fixed, key_of, page

SECONDS = 60
"""Of one attempt at a server that answers at once, even on a busy machine."""
PATIENCE = 0.3
"""Of one attempt at a server that keeps sending a byte every fifth of a second, and so never stalls for so long."""


def ask_model(url: str, seconds: float) -> object:
    name = f"http:{url}/rerank,format=jina,timeout={seconds},retries=1,key_env=HOSTILE_KEY"
    return load_scorer(name, Workbench()).score([("soup", "leek soup")])


def ask_opensearch(url: str, seconds: float) -> object:
    return identify_opensearch(f"opensearch:{url}/dishes,timeout={seconds},retries=1,key_env=HOSTILE_KEY")


def download(url: str, seconds: float) -> object:
    limits = Limits(seconds=seconds, body_bytes=1 << 20, redirects=3)
    return fetch_file(PublicFile("hotpotqa", "f.json", "MIT", "a page", f"{url}/f", "0" * 64), Silent(), limits)


CLIENTS: dict[str, Callable[[str, float], object]] = {
    "model": ask_model,
    "opensearch": ask_opensearch,
    "download": download,
}


@dataclass(frozen=True)
class Case:
    answer: Answer
    words: str
    """In the message of every client, unless `others` says otherwise."""
    others: dict[str, str] = field(default_factory=dict)
    seconds: float = SECONDS


LARGE = r"the answer has more than [\d,]+ bytes"
SLOW = rf"timeout: no (complete )?answer within {PATIENCE} s"
NO_JSON = "unusable answer: it is not JSON; it was"
CASES = {
    "length too large": Case(
        fixed("200 OK", headers={"Content-Length": "1000"}),
        r"connection lost: peer closed .* \(received 2 bytes, expected 1000\)",
    ),
    "length beyond the limit": Case(fixed("200 OK", headers={"Content-Length": "9" * 15}), LARGE),
    "length too small": Case(
        fixed("200 OK", headers={"Content-Length": "1"}), rf"{NO_JSON} \[\.", {"download": "has SHA-256 .*not kept"}
    ),
    "length negative": Case(fixed("200 OK", headers={"Content-Length": "-1"}), "not valid HTTP: bad Content-Length"),
    "length no number": Case(fixed("200 OK", headers={"Content-Length": "ten"}), "not valid HTTP: bad Content-Length"),
    "length of 400 digits": Case(
        fixed("200 OK", headers={"Content-Length": "9" * 400}), "not valid HTTP: bad Content-Length"
    ),
    "endless body": Case(endless(HEAD + b"\r\n", bytes(1 << 16)), LARGE),
    "endless error page": Case(
        endless(b"HTTP/1.1 400 Bad Request\r\n\r\n", b"no " * 20_000),
        r"refused the request \(400\): no no",
        {"download": "the server answers 400 Bad Request"},
    ),
    "endless header": Case(endless(HEAD + b"X: ", b"x" * 1_000), "not valid HTTP: its headers exceed the size limit"),
    "many headers": Case(
        fixed("200 OK", headers={f"X-{i}": "x" * 800 for i in range(90)}), "not valid HTTP: its headers have more than"
    ),
    "endless interim answers": Case(endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), SLOW, seconds=PATIENCE),
    "body a byte each fifth of a second": Case(endless(HEAD + b"\r\n", b" ", 0.2), SLOW, seconds=PATIENCE),
    "headers a byte each fifth of a second": Case(endless(HEAD + b"X: ", b"x", 0.2), SLOW, seconds=PATIENCE),
    "retry after 400 digits": Case(
        fixed("503 Service Unavailable", headers={"Retry-After": "9" * 400}),
        "failed once; .*again after more than a day \\(the server asks for that delay\\)",
        {"download": "the server answers 503 Service Unavailable"},
    ),
    "retry after a negative time": Case(
        fixed("503 Service Unavailable", headers={"Retry-After": "-5"}),
        "failed 2 times; .*503 Service Unavailable",
        {"download": "the server answers 503"},
    ),
    "retry after a far date": Case(
        fixed("429 Too Many Requests", headers={"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}),
        "again after more than a day",
        {"download": "the server answers 429"},
    ),
    "retry after an impossible date": Case(
        fixed("429 Too Many Requests", headers={"Retry-After": f"Fri, 31 Dec {'9' * 400} 23:59:59 GMT"}),
        "failed 2 times; .*429 Too Many Requests",
        {"download": "the server answers 429"},
    ),
    "redirect loop": Case(
        fixed("302 Found", b"", {"Location": "/again"}),
        r"refused the request \(302\): Found\. It redirects to another address: give that one",
        {"download": "it redirects more than 3 times"},
    ),
    "redirect with an endless body": Case(
        endless(b"HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n", bytes(1 << 16)),
        r"refused the request \(302\)",
        {"download": "it redirects more than 3 times"},
    ),
    "redirect to a file": Case(
        fixed("302 Found", b"", {"Location": "file:///etc/passwd"}),
        r"refused the request \(302\)",
        {"download": "unsupported protocol"},
    ),
    "gzip bomb": Case(endless(HEAD + b"Content-Encoding: gzip\r\n\r\n", ZEROS), r"the answer is compressed \(gzip\)"),
    "key's beginning in an error": Case(
        echo("401 Unauthorized", lambda key: json.dumps({"error": f"bad key {key[:8]}..."})),
        r"bad key \[key\]",
        {"download": "the server answers 401"},
    ),
    "key's end in an error": Case(
        echo("429 Too Many Requests", lambda key: f"limit of key ...{key[-8:]}"),
        r"limit of key \.\.\.\[key\]",
        {"download": "the server answers 429"},
    ),
    "key's middle in an answer": Case(
        echo("200 OK", lambda key: f"<p>{key[5:16]}</p>"),
        rf"{NO_JSON} <p>\[key\]</p>",
        {"download": "not kept"},
    ),
    "key's escaped middle in JSON": Case(
        echo("200 OK", lambda key: '{"oops": "' + "".join(f"\\u{ord(each):04x}" for each in key[5:16]) + '"}'),
        r"\[key\]",
        {"download": "not kept"},
    ),
    "key's beginning in a header": Case(
        lambda head: iter([page("200 OK", b"[]", {"Content-Encoding": key_of(head)[:12]})]),
        r"the answer is compressed \(\[key\]\)",
        {"download": "not kept"},
    ),
    "surrogates in an error": Case(
        fixed("400 Bad Request", rb'{"error": "\ud800"}'), r"\(400\): �", {"download": "the server answers 400"}
    ),
}


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(retrying_client, "FIRST_WAIT", 0.001)
    monkeypatch.setenv("HOSTILE_KEY", KEY)
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", CASES)
def test_a_hostile_server_ends_in_one_line(client: str, name: str, tmp_path: Path) -> None:
    case = CASES[name]
    start = time.monotonic()
    with answering(case.answer) as url, pytest.raises(UserError) as caught:
        CLIENTS[client](url, case.seconds)
    message = str(caught.value)
    assert re.search(case.others.get(client, case.words), message), message
    assert message.splitlines() == [message]
    assert message.isprintable()
    assert len(message) < 900
    assert not any(KEY[i : i + 8] in message for i in range(len(KEY) - 7))
    assert time.monotonic() - start < 20  # of which the endless ones need some, to send what is refused
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_server_that_sends_next_to_nothing_is_given_up_long_before_the_time_is_over() -> None:
    limits = Limits(seconds=60, stall_seconds=0.3, bytes_per_second=LIMITS.bytes_per_second)
    client = HttpClient(limits)
    with (
        answering(endless(HEAD + b"\r\n", b" " * 10, 0.1)) as url,
        pytest.raises(TransientError, match=r"too slow: \d+ bytes in 0 s"),
    ):
        client.send(url, lambda response: b"".join(response.chunks()))
    client.close()


def test_a_model_that_names_itself_after_the_key_is_stored_under_another_name() -> None:
    def answer(key: str) -> str:
        return json.dumps({"model": f"m-{key[5:16]}\ud800", "results": [{"index": 0, "relevance_score": 1.0}]})

    with answering(echo("200 OK", answer)) as url:
        scorer = load_scorer(f"http:{url}/rerank,format=jina,key_env=HOSTILE_KEY", Workbench())
        assert isinstance(scorer, RerankScorer)
        assert scorer.score([("soup", "leek soup")]).tolist() == [1.0]
    assert scorer.describe()["models_in_answers"] == ["m-[key]�"]
