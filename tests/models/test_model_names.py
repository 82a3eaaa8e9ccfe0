from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.models import SCORERS
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import ModelName, check_models, load_scorer, parse_model


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bm25", ModelName("bm25")),
        ("tfidf:nevir", ModelName("tfidf", "nevir")),
        ("random:7", ModelName("random", "7")),
        ("http:http://localhost:8080/rerank", ModelName("http", "http://localhost:8080/rerank")),
    ],
)
def test_a_model_string_is_a_family_and_what_stands_after_the_first_colon(text: str, name: ModelName) -> None:
    assert parse_model(text) == name
    assert str(name) == text


@given(st.text("abc:/", min_size=1).filter(lambda text: not text.endswith(":")))
def test_printing_a_parsed_name_gives_it_back(text: str) -> None:
    assert str(parse_model(text)) == text


@pytest.mark.parametrize("text", ["bm25", "bm25:nostop", "bm25:words", "tfidf", "tfidf:nevir", "random", "random:7"])
def test_every_scorer_knows_the_name_it_was_asked_for(text: str) -> None:
    scorer = load_scorer(text, Workbench(["a text"]))
    assert scorer.name == text
    assert scorer.score([("a query", "a text"), ("a query", "other")]).shape == (2,)
    assert len(scorer.score([])) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bm26", "Did you mean 'bm25'"),
        ("length", "No model named 'length'"),
        ("", "No model named ''"),
        ("tfidf:", "there is nothing after the colon"),
        ("bm25:fast", "only bm25, bm25:nostop and bm25:words"),
        ("tfidf:scikit", "only tfidf and tfidf:nevir"),
        ("random:dice", "integer"),
        ("random:-1", "integer"),
    ],
)
def test_a_wrong_name_is_explained(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_scorer(text, Workbench())


def test_all_wrong_names_are_told_at_once() -> None:
    with pytest.raises(UserError, match=r"bm26(?s:.*)random:dice"):
        check_models(["bm26", "bm25", "random:dice"])


def test_fingerprints_tell_models_and_collections_apart() -> None:
    names = ("bm25", "bm25:nostop", "bm25:words", "tfidf", "tfidf:nevir", "random", "random:7")
    assert len({load_scorer(name, Workbench(["a text"])).fingerprint for name in names}) == len(names)
    assert (
        load_scorer("bm25", Workbench(["a", "b"])).fingerprint == load_scorer("bm25", Workbench(["b", "a"])).fingerprint
    )
    assert load_scorer("bm25", Workbench(["a", "b"])).fingerprint != load_scorer("bm25", Workbench(["a"])).fingerprint


def test_listing_models_imports_none_of_them() -> None:
    code = "import sys, constraintsuite.models as m; print(m.SCORERS.names()); assert 'numpy' not in sys.modules"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert str(SCORERS.names()) in listed.stdout
