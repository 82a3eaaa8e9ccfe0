"""What holds for the rules analyser whatever it reads."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.text.rules import RulesAnalyser

HEAP = """no not n't never without except the a pool dogs , . ? ; : ( ) - free lacks is are was been removed which who
and or but neither nor nothing may if unless only to avoid rather than instead of until 1994 there what “ ” — 's"""
WORDS = st.sampled_from(HEAP.split())
BLOCK = """
import sys
class NoSpacy:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("spacy", "thinc"):
            raise ImportError(name)
sys.meta_path.insert(0, NoSpacy())
from constraintsuite.text.rules import RulesAnalyser
(analysis,) = RulesAnalyser().analyse(["There is no pool."])
assert [scope.rule for scope in analysis.scopes] == ["no_determiner"]
assert not any(name.split(".")[0] == "spacy" for name in sys.modules)
"""


def test_needs_no_spacy() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@given(st.text(max_size=120))
def test_reads_any_text(text: str) -> None:
    check(text)


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=25))
def test_reads_any_heap_of_cues(words: list[str]) -> None:
    check(" ".join(words))


def check(text: str) -> None:
    (analysis,) = RulesAnalyser().analyse([text])
    assert analysis.text == text
    for token in analysis.tokens:
        assert text[token.start : token.end] == token.text
        assert token.pos
        assert token.tag
        assert token.lemma
    for scope in analysis.scopes:
        assert 0 <= scope.start < scope.end <= len(text)
        assert 0 <= scope.cue_start < scope.cue_end <= len(text)
        assert scope.rule


@pytest.mark.parametrize(
    "piece", ["no dogs and ", "is not ", "the man that ", "nobody, which may, if ", "( a. ", "dog "]
)
def test_endless_sentences_stay_cheap(piece: str) -> None:
    started = time.process_time()
    check(piece * 500)
    assert time.process_time() - started < 5


def test_neighbours_make_no_difference() -> None:
    texts = ["There is no pool.", "Dogs? No.", "It may rain.", "", "The hut lacks a stove."]
    together = list(RulesAnalyser().analyse(texts))
    assert together == [one for text in texts for one in RulesAnalyser().analyse([text])]
    assert together == list(RulesAnalyser().analyse(reversed(texts)))[::-1]
