from __future__ import annotations

import json
import pickle
import socket
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import clip
from constraintsuite.core.store.http.endpoint import Endpoint
from constraintsuite.core.store.http.errors import (
    BadAnswerError,
    RefusalError,
    TransientError,
    message_of,
    seconds_to_wait,
)
from constraintsuite.core.store.http.messages import Limits
from constraintsuite.core.store.http.secrets import Authorization
from models.http.servers import KEY, Server, running

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
BODY = json.dumps({"query": "soup", "texts": ["soup"], "raw_scores": True})


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Sun, 01 Mar 2026 12:01:30 GMT", 90.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),  # already over
        ("-3", None),
        ("soon", None),
        ("nan", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert seconds_to_wait(header, NOW) == seconds


@given(st.text())
def test_no_retry_after_header_breaks_the_reader(header: str) -> None:
    seconds = seconds_to_wait(header, NOW)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ('{"message": "invalid api token"}', "invalid api token"),
        ('{"error": {"message": "no such model", "type": "x"}}', "no such model"),
        ('{"error": "Input is too long", "error_type": "Validation"}', "Input is too long"),
        ('{"detail": "Not Found"}', "Not Found"),
        ('{"error": {"root_cause": [], "type": "x", "reason": "no such index"}, "status": 404}', "no such index"),
        (
            '{"detail": [{"loc": ["body"], "msg": "field required"}]}',
            '{"detail": [{"loc": ["body"], "msg": "field required"}]}',
        ),
        ("<h1>Bad\n gateway</h1>", "<h1>Bad gateway</h1>"),
        ("", ""),
    ],
)
def test_the_message_of_an_error_page_is_found(page: str, message: str) -> None:
    assert clip(message_of(page)) == message


@given(st.text(max_size=800))
def test_what_is_shown_is_short_and_printable(text: str) -> None:
    assert len(clip(text)) <= 301
    assert clip(text).isprintable()


def test_a_connection_is_used_again(server: Server) -> None:
    endpoint = Endpoint(server.url("/rerank"))
    for _ in range(3):
        endpoint.ask(BODY)
    endpoint.close()
    assert len({asked.port for asked in server.requests}) == 1


def test_a_connection_that_the_server_closed_meanwhile_is_opened_anew(server: Server) -> None:
    endpoint = Endpoint(server.url("/rerank"))
    endpoint.ask(BODY)
    server.faults.append("drop")
    assert endpoint.ask(BODY) == [{"index": 0, "score": pytest.approx(1 / 3, abs=0.01)}]
    endpoint.close()


@pytest.mark.parametrize(
    ("fault", "kind", "wait"),
    [
        ("429 7", "429 Too Many Requests", 7.0),
        ("503", "503 Service Unavailable", None),
        ("500", "500 Internal Server Error", None),
        ("drop", "connection lost", None),
        ("cut", "connection lost", None),
        ("slow", "timeout", None),
        ("garbage", "unusable answer", None),
    ],
)
def test_what_may_pass_is_told_by_its_kind(server: Server, fault: str, kind: str, wait: float | None) -> None:
    server.faults.append(fault)
    endpoint = Endpoint(server.url("/rerank"), limits=Limits(seconds=0.1 if fault == "slow" else 5))
    with pytest.raises(TransientError) as caught:
        endpoint.ask(BODY)
    endpoint.close()
    assert (caught.value.kind, caught.value.wait) == (kind, wait)


def test_a_server_that_is_not_there_may_come_back() -> None:
    with running() as gone:
        url = gone.url("/rerank")
    with pytest.raises(TransientError, match="no connection"):
        Endpoint(url).ask(BODY)


def test_garbage_is_shown_without_what_a_terminal_would_obey(server: Server) -> None:
    server.faults.append("garbage")
    endpoint = Endpoint(server.url("/rerank"))
    with pytest.raises(BadAnswerError) as caught:
        endpoint.ask(BODY)
    endpoint.close()
    assert caught.value.describe(endpoint.hide).endswith("it is not JSON; it was <html>Bad gateway�[31m</html>")


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "key_env=NAME"), (404, "full address"), (422, "format=NAME"), (400, "")]
)
def test_a_refusal_carries_the_servers_words_and_what_to_do(server: Server, status: int, hint: str) -> None:
    server.faults.append(str(status))
    endpoint = Endpoint(server.url("/rerank"))
    with pytest.raises(RefusalError, match=rf"refused the request \({status}\): status {status} for key none.*{hint}"):
        endpoint.ask(BODY)
    endpoint.close()


@pytest.mark.parametrize("status", ["401", "403"])
def test_a_key_that_was_sent_is_not_asked_for_again(server: Server, status: str) -> None:
    server.faults.append(status)
    endpoint = Endpoint(server.url("/rerank"), Authorization("Bearer", KEY))
    with pytest.raises(RefusalError, match="The key or password that was sent is refused") as caught:
        endpoint.ask(BODY)
    endpoint.close()
    assert "key_env" not in str(caught.value)


def test_a_refusal_comes_whole_from_another_process() -> None:
    copy = pickle.loads(pickle.dumps(RefusalError(413, "too large")))
    assert (copy.status, str(copy)) == (413, "too large")


@pytest.mark.parametrize("fault", ["401", "429"])
def test_a_key_that_the_server_repeats_is_not_shown(server: Server, fault: str) -> None:
    server.faults.append(fault)
    endpoint = Endpoint(server.url("/rerank"), Authorization("Bearer", KEY))
    with pytest.raises((RefusalError, TransientError), match=r"Bearer \[key\]") as caught:
        endpoint.ask(BODY)
    endpoint.close()
    assert KEY not in str(caught.value)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (socket.EAI_NONAME, UserError, "no host of that name"),
        (socket.EAI_AGAIN, TransientError, "no connection"),  # the name server may come back
    ],
)
def test_a_name_that_nobody_knows_is_told_from_a_name_server_that_is_away(
    monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Exception], words: str
) -> None:
    def look_up(*_: object, **__: object) -> None:  # what the system's own look-up does depends on the machine
        raise socket.gaierror(code, "look-up failed")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(kind, match=words):
        Endpoint("http://nowhere.invalid/rerank").ask(BODY)


@pytest.mark.parametrize("key", ["1", "0", "index", "e", "."])
def test_a_short_key_does_not_spoil_an_answer(server: Server, key: str) -> None:
    plain, keyed = Endpoint(server.url("/rerank")), Endpoint(server.url("/rerank"), Authorization("Bearer", key))
    assert keyed.ask(BODY) == plain.ask(BODY)
    plain.close()
    keyed.close()


@pytest.mark.parametrize("spelt", ['ab/c"d\\e', r"ab\/c\"d\\e", r"ab\u002Fc\u0022d\u005ce"])
def test_a_key_is_hidden_however_it_is_spelt(spelt: str) -> None:
    endpoint = Endpoint("http://localhost/rerank", Authorization("Bearer", 'ab/c"d\\e'))
    assert endpoint.hide(f"bad key {spelt}, sorry") == "bad key [key], sorry"
    assert endpoint.hide("ab/cde") == "ab/cde"


def test_what_a_token_was_made_of_is_hidden_too() -> None:
    endpoint = Endpoint("http://localhost/rerank", Authorization("Basic", "YW5uOnfDtnJk", ("wörd",)))
    assert endpoint.hide(r"Basic YW5uOnfDtnJk, of wörd or w\u00f6rd") == "Basic [key], of [key] or [key]"


@given(
    key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=4, max_size=40), before=st.integers(0, 400)
)
def test_no_part_of_an_answer_shows_a_key(key: str, before: int) -> None:
    endpoint = Endpoint("http://localhost/rerank", Authorization("Bearer", key))
    answer = {"message": "~" * before + key}
    told = BadAnswerError("it has {found} where a number is due", answer, "~" * (before % 50) + key).describe(
        endpoint.hide
    )
    shown = told.replace("~", "").replace("[key]", "")
    hidden = BadAnswerError("it has {found} where a number is due", {"message": ""}, "").describe(str)
    assert key not in told
    assert len(shown) <= len(hidden) + len("…") + len("[key]")
