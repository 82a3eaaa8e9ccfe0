"""The one tokeniser that BM25, tf-idf, overlap and near-duplicates share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.text.terms import TermAnalyser, stopwords, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Cooks' soups, 2 litres!", ["the", "cooks", "soups", "2", "litres"]),
        ("don't, can’t", ["don't", "can’t"]),
        ("nut-free snake_case C++", ["nut", "free", "snake", "case", "c"]),
        ("CRÈME 東京", ["crème", "東京"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("analyser", "expected"),
    [
        (TermAnalyser(), ["campsit", "hot", "shower", "dog", "shower"]),
        (TermAnalyser(stem=False), ["campsites", "hot", "showers", "dogs", "shower"]),
    ],
)
def test_terms_are_stemmed_words_without_the_stop_list(analyser: TermAnalyser, expected: list[str]) -> None:
    assert analyser.terms("The campsites with hot showers and no dogs: a shower!") == expected


@pytest.mark.parametrize("word", ["no", "not", "without", "with"])
def test_lucene_leaves_no_not_and_with_out_of_an_index_but_keeps_without(word: str) -> None:
    assert (word in stopwords("lucene")) == (word != "without")


def test_an_unknown_stop_list_is_a_user_error_that_lists_them() -> None:
    with pytest.raises(UserError, match=r"No stop list named 'smart'\. There are: .*lucene"):
        TermAnalyser("smart").terms("soup")


@pytest.mark.parametrize("analyser", [TermAnalyser(), TermAnalyser("none", stem=False)])
@given(
    texts=st.lists(st.text() | st.sampled_from(["The soups, and no soup", "l’été de l'été", "İstanbul"]), max_size=4)
)
def test_texts_analysed_together_have_the_terms_of_each_alone(analyser: TermAnalyser, texts: list[str]) -> None:
    assert list(analyser.analyse(texts)) == [analyser.terms(text) for text in texts]
