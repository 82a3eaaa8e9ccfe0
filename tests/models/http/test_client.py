from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.http.endpoint import Endpoint
from constraintsuite.core.store.http.errors import TransientError
from constraintsuite.core.store.http.messages import Limits
from constraintsuite.models.base import Workbench
from constraintsuite.models.http import retrying_client
from constraintsuite.models.http.client import Body, Client, QueryTexts, ServerReply, model_of
from constraintsuite.models.http.rerank import read_scores
from constraintsuite.models.http.retrying_client import FIRST_WAIT, wait_seconds
from models.http.servers import SPOILT, Server, overlap

REQUESTS = [QueryTexts(f"soup number {i}", ("leek soup", f"soup {i}", "bread")) for i in range(12)]


def client_of(
    server: Server, bench: Workbench, pause: Callable[[float], object] | None = None, retries: int = 3
) -> Client:
    client = Client(Endpoint(server.url("/rerank"), limits=Limits(seconds=5)), "0" * 64, retries, bench)
    client.pause = pause or client.pause
    return client


def ask(client: Client, requests: Sequence[QueryTexts] = REQUESTS, concurrency: int = 4) -> list[list[float]]:
    def work(request: QueryTexts) -> ServerReply:
        body: Body = {"query": request.query, "texts": request.texts, "raw_scores": True}
        return client.ask(body, lambda answer: read_scores(answer, request))

    answers = client.ask_all("soups", requests, work, [3] * len(requests), concurrency)
    return [answer.values.tolist() for answer in answers]


def right(requests: Sequence[QueryTexts] = REQUESTS) -> list[list[float]]:
    return [[overlap(request.query, text) for text in request.texts] for request in requests]


@pytest.mark.parametrize("concurrency", [1, 7])
def test_answers_stand_in_the_order_of_the_questions(server: Server, concurrency: int) -> None:
    assert ask(client_of(server, Workbench()), concurrency=concurrency) == right()


def test_every_fault_is_outlived_and_no_score_is_lost(server: Server, tmp_path: Path) -> None:
    faults = ["429 2", "500", "503", "garbage", *SPOILT]
    random.Random(0).shuffle(faults)
    faults.insert(0, "drop")  # on a fresh connection: one that idled is opened anew without a word
    server.faults.extend(faults)
    waits: list[float] = []
    bench = Workbench(cache=tmp_path)
    assert ask(client_of(server, bench, waits.append, retries=len(faults))) == right()
    assert len(waits) == len(faults)
    assert 2.0 in waits
    assert bench.events == [
        "soups: 1 request repeated after 429 Too Many Requests",
        "soups: 1 request repeated after 500 Internal Server Error",
        "soups: 1 request repeated after 503 Service Unavailable",
        "soups: 1 request repeated after connection lost",
        f"soups: {len(SPOILT) + 1} requests repeated after unusable answer",
    ]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("few", "it has 2 results for 3 texts"),
        ("many", "it has 4 results for 3 texts"),
        ("repeated", "two results with index"),
        ("range", "a result with index 3, for 3 texts"),
        ("no index", "has no index"),
        ("nan", "it has nan where a number is due"),
        ("inf", "it has -inf where a number is due"),
        ("null", "it has None where a number is due"),
        ("text", "it has '0.5' where a number is due"),
        ("huge", "it has 1000"),
        ("shape", "no list of results"),
        ("garbage", "not JSON; it was <html>"),
        ("429", "429 Too Many Requests"),
    ],
)
def test_a_fault_that_stays_is_shown_and_nothing_is_kept(
    server: Server, tmp_path: Path, fault: str, words: str
) -> None:
    server.faults.extend([fault] * 3)
    bench = Workbench(cache=tmp_path)
    with pytest.raises(UserError, match=rf"failed 3 times; .*{words}"):
        ask(client_of(server, bench, lambda _: None, retries=2), REQUESTS[:1])
    assert list(tmp_path.iterdir()) == []
    server.faults.extend([fault] * 3)
    with pytest.raises(UserError, match=r"No answer was cached.* it starts from the beginning"):
        ask(client_of(server, bench, lambda _: None, retries=2), REQUESTS[:1])
    assert ask(client_of(server, bench), REQUESTS[:1]) == right(REQUESTS[:1])


def test_what_was_answered_before_a_fault_that_stays_is_said_to_be_kept(server: Server, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    server.faults.extend(["", *["503"] * 3])
    with pytest.raises(UserError, match=r"The answers so far were cached.* it resumes after them"):
        ask(client_of(server, bench, lambda _: None, retries=2), REQUESTS[:2], concurrency=1)


def test_a_repetition_is_told_once_a_kind_of_fault(server: Server) -> None:
    told: list[str] = []

    class Listener(Silent):
        def note(self, text: str) -> None:
            told.append(text)

    server.faults.extend(["503", "503", "429"])
    ask(client_of(server, Workbench(reporter=Listener()), lambda _: None), REQUESTS[:1])
    assert [line.partition("; ")[0].rpartition(": ")[2][:3] for line in told] == ["503", "429"]


def test_a_refusal_is_not_repeated(server: Server) -> None:
    server.faults.append("400")
    with pytest.raises(UserError, match=r"refused the request \(400\)"):
        ask(client_of(server, Workbench()), REQUESTS[:1])
    assert len(server.requests) == 1


def test_a_server_that_wants_hours_is_not_waited_for(server: Server) -> None:
    server.faults.append("429 7200")
    with pytest.raises(UserError, match=r"Run the same command again in 7200 s \(the server asks for that delay\)"):
        ask(client_of(server, Workbench(), lambda _: pytest.fail()), REQUESTS[:1])


def test_waits_double_at_most_and_are_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_client, "FIRST_WAIT", FIRST_WAIT)
    fault = TransientError("503", "")
    drawn = [[wait_seconds(fault, attempt, random.Random(attempt)) for attempt in range(9)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert all(0 <= seconds <= min(30, FIRST_WAIT * 2**attempt) for attempt, seconds in enumerate(drawn[0]))


def test_a_rerun_asks_nothing(server: Server, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    assert ask(client_of(server, bench)) == ask(client_of(server, bench))
    assert len(server.requests) == len(REQUESTS)


def test_a_run_that_failed_goes_on_where_it_was(server: Server, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    server.faults.extend(["", "", "", "", "", "400"])
    with pytest.raises(UserError, match="refused"):
        ask(client_of(server, bench), concurrency=1)
    assert len(server.requests) < len(REQUESTS)
    assert ask(client_of(server, bench)) == right()
    assert len(server.requests) == len(REQUESTS) + 1  # only the one that was refused was asked twice


def test_ctrl_c_ends_what_is_slow_and_keeps_what_is_done(server: Server, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path)
    ask(client_of(server, bench), REQUESTS[:2])
    server.faults.extend(["slow", "429 250"])
    client = client_of(server, bench)

    def work(request: QueryTexts) -> ServerReply:
        if request == REQUESTS[4]:
            wait_until(lambda: len(server.requests) == 4)  # now one thread waits for its answer, another for its turn
            raise KeyboardInterrupt
        body: Body = {"query": request.query, "texts": request.texts, "raw_scores": True}
        return client.ask(body, lambda answer: read_scores(answer, request))

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        client.ask_all("soups", REQUESTS[:5], work, [3] * 5, 3)
    assert time.monotonic() - start < 3  # the slow answer takes ten seconds, the turn comes after 250
    assert ask(client_of(server, bench)) == right()
    assert len(server.requests) == 2 + 2 + len(REQUESTS) - 2


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it never came to this")


def test_an_unusable_answer_is_asked_for_with_another_seed(server: Server) -> None:
    server.faults.extend(["garbage", "500", "few"])
    request = REQUESTS[0]
    client = client_of(server, Workbench(), lambda _: None)
    body: Body = {"query": request.query, "texts": request.texts, "seed": 5}
    client.ask_all("soups", [0], lambda _: client.ask(body, lambda a: read_scores(a, request)), [1], 1)
    assert [asked.body["seed"] for asked in server.requests] == [5, 6, 6, 7]


def test_the_model_that_the_server_names_is_remembered_with_the_numbers(server: Server, tmp_path: Path) -> None:
    def work(client: Client) -> None:
        body = {"query": "soup", "documents": ["soup"], "model": "größer"}
        client.ask_all("x", [0], lambda _: client.ask(body, lambda a: ServerReply(np.ones(1), model_of(a))), [1], 1)

    bench = Workbench(cache=tmp_path)
    for _ in range(2):
        client = client_of(server, bench)
        work(client)
        assert client.models == ["größer-2026"]
    assert len(server.requests) == 1
