from __future__ import annotations

import math
from typing import Any

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.models.lexical import Bm25Scorer, NevirTfidfScorer, TfidfScorer, scikit_learn_stopwords
from constraintsuite.text.terms import TermAnalyser

SOUPS = ["soup with cream", "soup with leeks and more leeks", "bread"]
WORDS = ["soup", "cream", "leeks", "not", "no", "bread", "with", "salt"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def test_bm25_is_lucenes_formula() -> None:
    scores = Bm25Scorer(SOUPS, TermAnalyser(stop_list="none")).score([("leeks", SOUPS[1]), ("leeks", SOUPS[0])])
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    damping = 0.9 * (1 - 0.4 + 0.4 * 6 / (10 / 3))  # six terms, the mean length is 10 / 3
    assert scores.tolist() == pytest.approx([idf * 2 / (2 + damping), 0.0])


@given(st.lists(TEXTS, min_size=2, max_size=6, unique=True), TEXTS)
def test_bm25_agrees_with_an_independent_implementation(texts: list[str], query: str) -> None:
    analyser = TermAnalyser(stop_list="none")
    texts = [text for text in texts if text] or ["soup"]
    index = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
    index.index([analyser.terms(text) for text in texts], show_progress=False)
    known = [term for term in analyser.terms(query) if term in index.vocab_dict]
    theirs = index.get_scores(known) if known else np.zeros(len(texts))
    ours = Bm25Scorer(texts, analyser).score([(query, text) for text in texts])
    assert ours.tolist() == pytest.approx(theirs.tolist(), rel=1e-5, abs=1e-6)


def test_bm25_ties_are_exact_whatever_the_order_of_the_words() -> None:
    texts = ["salt cream soup leeks bread", "bread leeks soup cream salt"]
    one, other = Bm25Scorer(texts, TermAnalyser()).score([("bread soup salt cream", text) for text in texts])
    assert one == other


def test_bm25_scores_a_text_that_is_not_of_the_collection() -> None:
    scorer = Bm25Scorer(SOUPS, TermAnalyser(stop_list="none"))
    assert (scorer.score([("tea", "tea"), ("tea", "soup"), ("", "soup"), ("tea", "")]) > 0).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("documents", [[], [""]])
def test_a_collection_without_terms_scores_nothing(documents: list[str]) -> None:
    pairs = [("a query", text) for text in documents] + [("a query", "")]
    assert not Bm25Scorer(documents, TermAnalyser()).score(pairs).any()
    assert not TfidfScorer(documents).score(pairs).any()


def test_tfidf_is_the_cosine_of_logarithmic_weights() -> None:
    query, text = "leeks soup", "soup with leeks and more leeks"
    rare, common = 1 + math.log(4 / 2), 1 + math.log(4 / 3)  # idf of a term in one and in two of three texts
    leeks = (1 + math.log(2)) * rare
    norm_of_text = math.sqrt(leeks**2 + 2 * common**2 + 2 * rare**2)  # leeks; soup, with; and, more
    expected = (rare * leeks + common * common) / (math.hypot(rare, common) * norm_of_text)
    assert TfidfScorer(SOUPS).score([(query, text)]).tolist() == pytest.approx([expected])


def test_tfidf_sees_negation_words() -> None:
    texts = ["soup with cream", "soup without cream"]
    with_cream, without_cream = TfidfScorer(texts).score([("soup without cream", text) for text in texts])
    assert without_cream == pytest.approx(1.0)
    assert with_cream < 0.9


def scikit_learn_cosine(query: str, text: str) -> float:
    sklearn = pytest.importorskip("sklearn.feature_extraction.text", reason="scikit-learn is not installed")
    drop = str.maketrans("", "", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

    def split(lowered: str) -> list[str]:
        return lowered.translate(drop).split()

    vectoriser: Any = sklearn.TfidfVectorizer(tokenizer=split, token_pattern=None, stop_words="english")
    try:
        vectors = vectoriser.fit_transform([query, text])
    except ValueError:  # no word is left
        return 0.0
    return float((vectors @ vectors.T).toarray()[0, 1])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Who had no love for the violin?", "He did not enjoy the violin; his mother, a pianist, loved it. Violin!"),
        ("well-known don't cannot", "A well-known wellknown singer can't, don't and cannot sing"),
        ("Ünïcode – naïve “quotes”", "naïve “quotes” – ünïcode"),
        ("not without the", "never except"),
        ("x y z", "x x y"),
    ],
)
def test_the_nevir_protocol_is_scikit_learns_to_the_last_bit(query: str, text: str) -> None:
    assert NevirTfidfScorer().score([(query, text)]).tolist() == [scikit_learn_cosine(query, text)]


@given(TEXTS, TEXTS)
def test_the_nevir_protocol_agrees_with_scikit_learn(query: str, text: str) -> None:
    assert NevirTfidfScorer().score([(query, text)])[0] == pytest.approx(scikit_learn_cosine(query, text), abs=1e-12)


def test_the_stop_list_is_scikit_learns() -> None:
    sklearn = pytest.importorskip("sklearn.feature_extraction.text", reason="scikit-learn is not installed")
    assert scikit_learn_stopwords() == sklearn.ENGLISH_STOP_WORDS
    assert {"no", "not", "never", "without", "except"} <= scikit_learn_stopwords()
