"""The official scorers, against worked numbers and against the definitions written another way."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.public.base import BenchmarkItem
from constraintsuite.memory.public.hotpotqa import HotpotScorer, TwoWikiScorer
from constraintsuite.memory.public.hover import HoverScorer
from constraintsuite.memory.public.locomo import LocomoScorer
from constraintsuite.memory.public.longmemeval import LongMemEvalScorer, official_scores
from constraintsuite.memory.public.measures import (
    compare_closed,
    compare_open,
    compare_sets,
    normalised,
    ranking_values,
    stemmed_f1,
    stemmed_list_f1,
)
from constraintsuite.memory.public.musique import MusiqueScorer
from constraintsuite.memory.public.porter import stem

NAMES = st.lists(st.sampled_from([f"d{i}" for i in range(12)]), unique=True)
WORDS = st.lists(
    st.sampled_from(["the", "A", "red", "Red,", "fox", "fox's", "yes", "no", "and", "1990", "-"]), max_size=6
)


def item(
    gold: Sequence[str], answers: tuple[str, ...] = (), as_filed: tuple[str, ...] = (), category: str = "single-hop"
) -> BenchmarkItem:
    return BenchmarkItem("q1", "What?", "h", tuple(gold), {"category": category}, "q1", answers, as_filed)


# Definitions of the papers, written another way than in the package.


def f1_by_crossing_out(mine: list[str], right: list[str]) -> Fraction:
    left = list(right)
    shared = 0
    for word in mine:
        if word in left:
            left.remove(word)
            shared += 1
    return Fraction(2 * shared, len(mine) + len(right)) if shared else Fraction(0)


def words_of(text: str) -> list[str]:
    kept = "".join("" if character in string.punctuation else character for character in text.lower())
    return [word for word in re.findall(r"\S+", re.sub(r"(?<!\w)(?:a|an|the)(?!\w)", " ", kept)) if word]


def dcg_by_array(relevant: Sequence[int]) -> float:
    gains = np.asarray(relevant, dtype=float)
    discounts = np.log2(np.maximum(np.arange(1, len(gains) + 1), 2))
    return float((gains / discounts).sum())


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The  Beatles!", "beatles"),
        ("U.S.A.", "usa"),
        ("an apple, a day", "apple day"),
        ("Theatre", "theatre"),
        ("A", ""),
        ("l'été", "lété"),
        ("a-b", "ab"),
    ],
)
def test_answers_are_normalised_as_in_squad(text: str, plain: str) -> None:
    assert normalised(text) == plain


@given(WORDS, WORDS)
def test_answer_f1_is_that_of_crossing_out_words(left: list[str], right: list[str]) -> None:
    answer, gold = " ".join(left), " ".join(right)
    mine, theirs = words_of(answer), words_of(gold)
    closed = {" ".join(mine), " ".join(theirs)} & {"yes", "no", "noanswer"}
    expected = Fraction(0) if closed and mine != theirs else f1_by_crossing_out(mine, theirs)
    scores = compare_closed(answer, gold)
    assert scores.f1 == pytest.approx(float(expected))
    assert scores.em == float(mine == theirs)
    open_f1 = float(mine == theirs) if not mine or not theirs else f1_by_crossing_out(mine, theirs)
    assert compare_open(answer, [gold]).f1 == pytest.approx(float(open_f1))


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("yes it is", "yes", 0.0),
        ("yes", "yes", 1.0),
        ("no", "no idea", 0.0),
        ("the red fox", "red dog", 0.5),
        ("red red", "red", 2 / 3),
    ],
)
def test_half_a_yes_is_worth_nothing_to_hotpotqa(answer: str, gold: str, f1: float) -> None:
    assert compare_closed(answer, gold).f1 == pytest.approx(f1)


def test_musique_takes_the_best_alias_for_each_figure() -> None:
    scores = compare_open("Lind of Hale", ["Bo Lind", "Lind of Hale", "Hale"])
    assert (scores.em, scores.f1) == (1.0, 1.0)
    assert compare_open("yes it is", ["yes"]).f1 == pytest.approx(0.5)


@given(NAMES, NAMES.filter(bool))
def test_supporting_facts_are_compared_as_sets(predicted: list[str], gold: list[str]) -> None:
    right = [name for name in predicted if gold.count(name)]
    wrong = [name for name in predicted if not gold.count(name)]
    missed = [name for name in gold if not predicted.count(name)]
    scores = compare_sets(predicted, gold)
    assert scores.em == float(not wrong and not missed)
    assert scores.precision == pytest.approx(len(right) / max(1, len(predicted)))
    assert scores.recall == pytest.approx(len(right) / len(gold))
    assert scores.f1 == pytest.approx(2 * len(right) / (2 * len(right) + len(wrong) + len(missed)))


def test_a_hotpotqa_ranking_is_scored_at_each_cutoff() -> None:
    values = HotpotScorer().score(item(["Lorn:1", "Gar:0"]), ["Lorn:1", "Lorn:0", "Gar:0", "X:0"], 4)
    assert [values[f"sp_f1@{k}"] for k in (1, 2, 4)] == [pytest.approx(2 / 3), 0.5, pytest.approx(2 / 3)]
    assert [values[f"sp_em@{k}"] for k in (1, 2, 4)] == [0.0, 0.0, 0.0]
    assert [values[f"all_gold@{k}"] for k in (1, 2, 4)] == [0.0, 0.0, 1.0]
    assert [values[f"title_recall@{k}"] for k in (1, 2, 4)] == [0.5, 1.0, 1.0]  # titles: Lorn, Gar, X
    assert values["sp_em@2"] == 0.0
    assert HotpotScorer().score(item(["Lorn:1", "Gar:0"]), ["Gar:0", "Lorn:1"], 2)["sp_em@2"] == 1.0


def test_joint_scores_are_products() -> None:
    gold = item(["Lorn:1", "Gar:0"], answers=("red fox",))
    values = HotpotScorer().answered(gold, "the red dog", ["Lorn:1", "X:0", "Y:0", "Z:0"], 4)
    assert values["answer_f1"] == 0.5
    assert values["joint_prec@4"] == pytest.approx(0.5 * 0.25)
    assert values["joint_recall@4"] == pytest.approx(0.5 * 0.5)
    assert values["joint_f1@4"] == pytest.approx(2 * 0.125 * 0.25 / 0.375)
    assert values["joint_em@4"] == 0.0


@pytest.mark.parametrize("answer", ["red fox", None], ids=["given", "missing"])
def test_2wiki_has_no_joint_score_without_triples(answer: str | None) -> None:
    values = TwoWikiScorer().answered(item(["Lorn:1"], answers=("red fox",)), answer, ["Lorn:1"], 1)
    assert values["answer_em"] == float(answer is not None)
    assert {name: value for name, value in values.items() if name.startswith("joint_")} == {
        "joint_em@1": None,
        "joint_f1@1": None,
        "joint_prec@1": None,
        "joint_recall@1": None,
    }


def test_an_answer_that_is_missing_counts_as_wrong_even_if_the_right_one_is_an_article() -> None:
    gold = item(["Lorn:1"], answers=("The",))
    assert HotpotScorer().answered(gold, "", ["Lorn:1"], 1)["joint_em@1"] == 1.0
    assert set(HotpotScorer().answered(gold, None, ["Lorn:1"], 1).values()) == {0.0}


@pytest.mark.parametrize(
    ("scorer", "found"), [(HotpotScorer(), 0.0), (TwoWikiScorer(), 1.0)], ids=["hotpotqa", "2wiki"]
)
def test_only_2wiki_lets_the_case_of_titles_be(scorer: HotpotScorer, found: float) -> None:
    assert scorer.score(item(["Lorn river:1"]), ["Lorn River:1"], 1)["sp_em@1"] == found


def test_hover_compares_titles_whatever_the_form_of_accents() -> None:
    assert HoverScorer().score(item(["Caf\u00e9:1"]), ["Cafe\u0301:1"], 1)["sp_f1@1"] == 1.0


@pytest.mark.parametrize(
    ("ranking", "evident"),
    [
        (["A:0", "B:0"], True),  # one fact of A is enough
        (["A:5", "A:1", "B:0"], True),
        (["A:5", "A:6", "A:1", "B:0"], False),  # the third sentence of a document is not looked at
        (["X:0", "A:0", "B:0"], True),  # two hops: three documents are
        (["X:0", "Y:0", "A:0", "B:0"], False),  # and no fourth
        (["A:0", "A:1"], False),
        (["A:0", "B:1"], False),  # the right document, another sentence
        ([], False),
    ],
)
def test_the_hover_score_reads_two_sentences_of_each_of_one_document_more_than_hops(
    ranking: list[str], evident: bool
) -> None:
    claim = BenchmarkItem("q1", "A claim.", "h", ("A:0", "A:1", "B:0"), {"hops": "2"}, "q1", ("NOT_SUPPORTED",))
    scorer = HoverScorer()
    assert scorer.score(claim, ranking, 10)["hover_evidence@10"] == float(evident)
    scores = {label: scorer.answered(claim, label, ranking, 10) for label in ("NOT_SUPPORTED", "SUPPORTED", None)}
    assert [values["label_accuracy"] for values in scores.values()] == [1.0, 0.0, 0.0]
    assert [values["hover_score@10"] for values in scores.values()] == [float(evident), 0.0, 0.0]


def test_hover_evidence_is_of_what_stands_above_the_cutoff() -> None:
    claim = BenchmarkItem("q1", "A claim.", "h", ("A:0", "B:0"), {"hops": "2"}, "q1", ("SUPPORTED",))
    values = HoverScorer().score(claim, ["A:0", "X:0", "B:0"], 5)
    assert [values[f"hover_evidence@{k}"] for k in (1, 2, 5)] == [0.0, 0.0, 1.0]


def test_musique_scores_paragraphs() -> None:
    gold = item(["a", "b", "c"], answers=("Lind",))
    values = MusiqueScorer().score(gold, ["a", "x", "b", "y", "z"], 5)
    assert [values[f"recall@{k}"] for k in (1, 2, 5)] == [
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    ]
    assert values["support_f1@5"] == pytest.approx(2 * 2 / (5 + 3))
    assert MusiqueScorer().answered(gold, "Lind!", [], 5) == {"answer_em": 1.0, "answer_f1": 1.0}
    assert MusiqueScorer().answered(gold, None, [], 5) == {"answer_em": 0.0, "answer_f1": 0.0}


@pytest.mark.parametrize(
    ("gold", "ranking", "official", "usual"),
    [
        (["g"], ["x", "g"], 1.0, 0.631),
        (["g", "h"], ["g", "x", "h"], 0.8155, 0.9197),
    ],
    ids=["one at rank 2", "ranks 1 and 3 of two"],
)
def test_longmemevals_discount_is_not_the_usual_one(
    gold: list[str], ranking: list[str], official: float, usual: float
) -> None:
    values = LongMemEvalScorer("session").score(item(gold), ranking, 10)
    assert values["ndcg_any@10"] == pytest.approx(official, abs=5e-5)
    assert values["ndcg@10"] == pytest.approx(usual, abs=5e-4)


@given(NAMES.filter(bool), NAMES, st.integers(1, 14))
def test_longmemevals_figures_are_those_of_the_definition(gold: list[str], ranking: list[str], k: int) -> None:
    corpus = ranking + [name for name in gold if name not in ranking]
    relevant = [1 if name in gold else 0 for name in corpus]
    seen = set(ranking[:k])
    ideal = dcg_by_array(sorted(relevant, reverse=True)[:k])
    scores = official_scores(ranking, gold, k)
    assert scores["recall_any"] == float(any(name in seen for name in gold))
    assert scores["recall_all"] == float(all(name in seen for name in gold))
    assert scores["ndcg_any"] == pytest.approx(dcg_by_array(relevant[: min(k, len(ranking))]) / ideal)


def turns_by_the_letter(ranking: list[str], gold: list[str], k: int) -> tuple[float, float, float]:
    """The official conversion of turns to sessions, on ids as they are renamed there: a whole corpus is ranked."""
    renamed = [name if name in gold else name.replace("answer", "noans") for name in ranking]
    sessions = ["_".join(name.split("_")[:-1]) for name in renamed]
    wanted = {"_".join(name.split("_")[:-1]) for name in gold}
    depth = next((d for d in range(k, len(sessions) + 1) if len(set(sessions[:d])) >= k), len(sessions))
    relevant = [int(session in wanted) for session in sessions]
    ideal = dcg_by_array(sorted(relevant, reverse=True)[:depth])
    above = set(sessions[:depth])
    return float(bool(wanted & above)), float(wanted <= above), dcg_by_array(relevant[:depth]) / ideal


@given(
    st.permutations([f"answer_{s}_{t}" for s in "ab" for t in (1, 3, 5)] + [f"x_{t}" for t in (1, 3)]),
    st.integers(1, 8),
)
def test_turns_are_widened_to_sessions_as_officially(ranking: list[str], k: int) -> None:
    gold = ["answer_a_1", "answer_a_3", "answer_b_5"]
    values = LongMemEvalScorer("turn").score(item(gold), ranking, 9)
    if f"session_ndcg_any@{k}" in values:
        found = tuple(values[f"session_{name}@{k}"] for name in ("recall_any", "recall_all", "ndcg_any"))
        assert found == pytest.approx(turns_by_the_letter(ranking, gold, k))


def test_a_budget_too_small_to_widen_leaves_the_session_figures_undefined() -> None:
    ranking = ["answer_a_1", "answer_a_3", "answer_a_5"]
    values = LongMemEvalScorer("turn").score(item(["answer_a_1", "answer_a_3", "answer_a_5"]), ranking, 3)
    assert values["recall_all@3"] == 1.0
    assert values["session_recall_all@1"] == 1.0
    assert values["session_recall_all@3"] is None


def test_longmemeval_has_no_scorer_of_answers() -> None:
    with pytest.raises(UserError, match="model as judge"):
        LongMemEvalScorer("session").answered(item(["a"]), "2", [], 5)


def test_locomo_scores_evidence_as_filed_and_as_mended() -> None:
    gold = item(["D1:1", "D2:1"], as_filed=("D1:1; D2:1", "D1:1"))
    values = LocomoScorer().score(gold, ["D2:1", "D1:1"], 5)
    assert (values["recall@5"], values["recall_as_filed@5"]) == (1.0, 0.5)
    nothing = LocomoScorer().score(item([]), ["D2:1"], 5)
    assert (nothing["recall@5"], nothing["recall_as_filed@5"]) == (None, 1.0)


@pytest.mark.parametrize(
    ("category", "gold", "answer", "f1"),
    [
        ("single-hop", "The running shoes and socks", "run shoe sock", 1.0),
        ("single-hop", "running shoes", "shoes", pytest.approx(2 / 3)),
        ("open-domain", "Yes; she is calm", "yes", 1.0),
        ("temporal", "May, 2023", "may 2023", 1.0),
        ("multi-hop", "painting, camping", "camping trip, singing", pytest.approx((0 + 2 / 3) / 2)),
        ("adversarial", "two", "It is not mentioned there.", 1.0),
        ("adversarial", "two", "two", 0.0),
    ],
)
def test_locomo_answers_are_scored_by_category(category: str, gold: str, answer: str, f1: float) -> None:
    asked = item(["D1:1"], answers=(gold,), category=category)
    assert LocomoScorer().answered(asked, answer, [], 5) == {"answer_f1": f1}
    assert LocomoScorer().answered(asked, None, [], 5) == {"answer_f1": 0.0}


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("dies", "die"),
        ("tied", "tie"),
        ("agreed", "agre"),
        ("feed", "feed"),
        ("plastered", "plaster"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("falling", "fall"),
        ("conflated", "conflat"),
        ("ace", "ace"),
        ("happy", "happi"),
        ("abbey", "abbey"),
        ("by", "by"),
        ("additionally", "addit"),
        ("relational", "relat"),
        ("anthology", "antholog"),
        ("triplicate", "triplic"),
        ("hopefulness", "hope"),
        ("adoption", "adopt"),
        ("replacement", "replac"),
        ("controlling", "control"),
        ("skies", "sky"),
        ("news", "news"),
        ("yearly", "yearli"),
    ],
)
def test_stems_are_those_of_nltk(word: str, root: str) -> None:
    assert stem(word) == root


@pytest.mark.parametrize(("answer", "gold"), [("tried", "try"), ("dried", "dry"), ("cries", "cry"), ("dying", "die")])
def test_with_snowballs_porter_stems_a_right_answer_to_locomo_would_be_wrong(answer: str, gold: str) -> None:
    first, second = Stemmer.Stemmer("porter").stemWords([answer, gold])
    assert first != second
    assert stemmed_f1(answer, gold) == 1.0


@given(st.text("abcdeilnorstuyz", max_size=12))
def test_a_stem_is_never_longer_than_its_word_and_never_empty(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert bool(stem(word)) == bool(word)


def test_locomo_lists_find_their_parts_in_any_order() -> None:
    parts = ["red shoes", "a hat", "gloves"]
    whole = ", ".join(parts)
    assert {stemmed_list_f1(", ".join(order), whole) for order in permutations(parts)} == {1.0}
    assert stemmed_f1(", ".join(parts[::-1]), whole) == 1.0


@given(NAMES.filter(bool), NAMES, st.integers(1, 12))
def test_the_measures_of_a_ranking_are_those_of_the_definition(gold: list[str], ranking: list[str], k: int) -> None:
    values = ranking_values(gold, ranking, [k])
    places = [ranking.index(name) + 1 for name in gold if name in ranking]
    above = [place for place in places if place <= k]
    best = sum(math.log(2) / math.log(place + 1) for place in range(1, min(k, len(gold)) + 1))
    assert values[f"hit@{k}"] == float(len(above) > 0)
    assert values[f"recall@{k}"] == pytest.approx(len(above) / len(gold))
    assert values[f"all_gold@{k}"] == float(len(above) == len(gold))
    assert values[f"ndcg@{k}"] == pytest.approx(sum(math.log(2) / math.log(place + 1) for place in above) / best)
    assert values["mrr"] == pytest.approx(max((1 / place for place in places), default=0.0))


def test_an_item_without_gold_has_no_figures() -> None:
    assert set(ranking_values([], ["a"], [1, 5]).values()) == {None}
