from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Describing, ModelFact, Scorer, Workbench
from constraintsuite.models.http.listwise import PositionBias, lists_of
from constraintsuite.models.model_names import load_scorer
from models.http.servers import Server, overlap

QUERY = "soup with leeks"
TEXTS = ["leek soup with leeks", "soup with cream", "bread"]
PAIRS = [(QUERY, text) for text in TEXTS]


def load(server: Server, options: str = "", bench: Workbench | None = None) -> Scorer:
    return load_scorer(f"listwise:words,url={server.url('/v1')}{options}", bench or Workbench())


def facts(scorer: Scorer, name: str) -> ModelFact:
    assert isinstance(scorer, Describing)
    return scorer.describe()[name]


def test_a_score_is_minus_the_mean_place(server: Server) -> None:
    scorer = load(server)
    assert scorer.score(PAIRS).tolist() == [-1.0, -2.0, -3.0]
    assert facts(scorer, "position_bias") == {"pairs": 3, "first_shown": 0.0, "last_shown": 0.0, "bias": 0.0}
    assert facts(scorer, "models_in_answers") == ["words-2026"]
    assert facts(scorer, "answers") == {"complete": 2, "repaired": 0, "unparsable": 0}


@pytest.mark.parametrize(("prefers", "bias"), [("first", 1.0), ("last", -1.0)])
def test_texts_that_change_places_with_the_order_tie(server: Server, prefers: str, bias: float) -> None:
    server.prefers = prefers
    scorer = load(server)
    assert scorer.score(PAIRS).tolist() == [-2.0, -2.0, -2.0]
    assert facts(scorer, "position_bias") == {
        "pairs": 3,
        "first_shown": float(prefers == "first"),
        "last_shown": float(prefers == "last"),
        "bias": bias,
    }


def test_both_orders_are_asked_for_and_do_not_depend_on_the_order_of_the_pairs(server: Server) -> None:
    for pairs in (PAIRS, PAIRS[::-1]):
        load(server).score(pairs)
    asked = sorted(request.body["messages"][1]["content"] for request in server.requests)
    assert len(asked) == 4
    assert asked[0] == asked[1]
    assert asked[2] == asked[3]
    shown = [[line[4:] for line in text.splitlines() if line.startswith("[")] for text in asked[::2]]
    assert shown[0] == shown[1][::-1]
    assert {request.body["temperature"] for request in server.requests} == {0.0}


def test_a_list_longer_than_the_window_is_ranked_from_its_end(server: Server) -> None:
    texts = ["soup " + "with leeks " * (i > 4) + "x" * i for i in range(11)]
    scorer = load(server, ",window=4,step=2")
    best = max(texts, key=lambda text: overlap(QUERY, text))
    scores = dict(zip(texts, scorer.score([(QUERY, text) for text in texts]).tolist(), strict=True))
    assert scores[best] == max(scores.values()) == -1.0  # the window carries the best one up, whatever the order
    assert len(server.requests) == 2 * 5  # ends at 11, 9, 7, 5, 3
    assert facts(scorer, "position_bias") == {"pairs": 0, "first_shown": None, "last_shown": None, "bias": None}


def test_a_text_alone_is_not_asked_about(server: Server) -> None:
    assert load(server).score([("q", "text")]).tolist() == [-1.0]
    assert server.requests == []


def test_an_incomplete_answer_is_asked_for_again_with_another_seed(server: Server) -> None:
    server.says.extend(["I cannot say.", "[1] > [2]"])
    bench = Workbench()
    scorer = load(server, ",concurrency=1,seed=7", bench)
    assert scorer.score(PAIRS).tolist() == [-1.0, -2.0, -3.0]
    assert [request.body["seed"] for request in server.requests] == [7, 8, 9, 7]
    assert bench.events == [f"{scorer.name}: 2 requests repeated after unusable answer"]


def test_an_answer_that_stays_incomplete_is_shown(server: Server) -> None:
    server.says.append("[1] > [2] > [1]")
    with pytest.raises(UserError, match=r"does not name each of 3 passages exactly once; it was \[1\] > \[2\] > \[1\]"):
        load(server, ",retries=0").score(PAIRS)


def test_what_is_missing_is_added_in_the_order_shown_if_that_is_wished(server: Server, tmp_path: Path) -> None:
    server.says.extend(["[3]", "I cannot say."])
    bench = Workbench(cache=tmp_path)
    (shown,) = lists_of(PAIRS)
    for _ in range(2):  # the second time from the cache
        scorer = load(server, ",concurrency=1,retries=0,repair=yes", bench)
        scores = dict(zip(TEXTS, scorer.score(PAIRS).tolist(), strict=True))
        # Places 2, 3, 1 of the first order, and 3, 2, 1 of the second, which stays as it was shown.
        assert [scores[text] for text in shown.texts] == [-2.5, -2.5, -1.0]
        assert facts(scorer, "answers") == {"complete": 0, "repaired": 1, "unparsable": 1}
    assert len(server.requests) == 2


def test_a_repaired_answer_is_not_used_where_none_is_wished(server: Server, tmp_path: Path) -> None:
    server.says.extend(["[3]", "[2]"])
    bench = Workbench(cache=tmp_path)
    load(server, ",retries=0,repair=yes", bench).score(PAIRS)
    assert load(server, "", bench).score(PAIRS).tolist() == [-1.0, -2.0, -3.0]


@pytest.mark.parametrize("fault", ["garbage", "429 0", "drop"])
def test_faults_of_the_line_are_outlived(server: Server, fault: str) -> None:
    server.faults.append(fault)
    assert load(server, ",retries=1").score(PAIRS).tolist() == [-1.0, -2.0, -3.0]


def test_a_temperature_that_a_model_does_not_take_is_left_out(server: Server) -> None:
    load(server, ",temperature=none,max_tokens=50").score(PAIRS)
    assert "temperature" not in server.requests[0].body
    assert server.requests[0].body["max_tokens"] == 50


TEXT = st.text(alphabet="ab", min_size=1, max_size=3)


@given(st.lists(st.tuples(st.sampled_from("pq"), TEXT), min_size=1))
def test_lists_depend_on_the_set_of_pairs_alone(pairs: list[tuple[str, str]]) -> None:
    assert {each.query: each.texts for each in lists_of(pairs)} == {
        each.query: each.texts for each in lists_of(pairs[::-1])
    }
    assert sorted((each.query, text) for each in lists_of(pairs) for text in each.texts) == sorted(set(pairs))


@given(st.permutations("abcd"), st.permutations("abcd"))
def test_the_bias_turns_round_with_the_orders(ahead: list[str], reverse: list[str]) -> None:
    places = [{text: place for place, text in enumerate(order)} for order in (ahead, reverse)]
    one, other = PositionBias(), PositionBias()
    one.count("abcd", places[0], places[1])
    other.count("dcba", places[0], places[1])
    assert one.pairs == other.pairs == 6
    assert (one.first, one.last) == (other.last, other.first)


BASE = "listwise:m,url=http://localhost/v1"


@pytest.mark.parametrize("option", ["window=5", "step=3", "repair=yes", "seed=1", "temperature=0.5", "max_tokens=9"])
def test_the_fingerprint_holds_what_decides_a_score(option: str) -> None:
    assert load_scorer(BASE, Workbench()).fingerprint != load_scorer(f"{BASE},{option}", Workbench()).fingerprint


def test_the_fingerprint_holds_the_collection() -> None:
    assert load_scorer(BASE, Workbench(["a"])).fingerprint != load_scorer(BASE, Workbench(["a", "b"])).fingerprint


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("listwise:m", "url: Field required"),
        ("listwise,url=http://localhost/v1", "say which model"),
        ("listwise:m,url=localhost", "is not an address.*url=http://localhost:8000/v1"),
        ("listwise:m,url=http://localhost/v1,window=4,step=4", "step must be smaller than window"),
    ],
)
def test_wrong_names_are_explained(model: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_scorer(model, Workbench())
