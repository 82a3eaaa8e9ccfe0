from __future__ import annotations

import pytest
from pydantic import ValidationError

from constraintsuite.text import scope
from constraintsuite.text.cues import find_cues
from constraintsuite.text.lexicon import Lexicon, compile_phrase, lexicon
from constraintsuite.text.rules import RulesAnalyser
from constraintsuite.text.scope import check_lexicon
from constraintsuite.text.sentence import Sentence


def test_every_group_names_a_drawing_function(monkeypatch: pytest.MonkeyPatch) -> None:
    check_lexicon.cache_clear()
    check_lexicon()
    check_lexicon.cache_clear()
    monkeypatch.setattr(scope, "PASSES", scope.PASSES[:2])
    with pytest.raises(ValueError, match=r"no drawing function named .*whether"):
        check_lexicon()


def test_every_phrase_compiles() -> None:
    for group in lexicon().groups:
        for phrase in group.phrases:
            assert list(compile_phrase(phrase))


def test_no_phrase_stands_twice_in_a_group() -> None:
    for group in lexicon().groups:
        assert len(set(group.phrases)) == len(group.phrases), group.rule


@pytest.mark.parametrize(
    ("phrase", "rows"),
    [
        ("free|clear of", [["clear|free", "of"]]),
        ("LEAVE ... out", [["leave", "", "out"]]),
        ("without any? doubt", [["without", "any", "doubt"], ["without", "doubt"]]),
        ("BE * gone", [["be", "ADV", "gone"], ["be", "gone"]]),
        ("no <NUM>", [["no", "NUM"]]),
    ],
)
def test_phrase_notation(phrase: str, rows: list[list[str]]) -> None:
    assert [["|".join(sorted(one.values)) for one in row] for row in compile_phrase(phrase)] == rows


@pytest.mark.parametrize("phrase", ["... out", "<NOUN> free", "* out"])
def test_phrase_must_begin_with_a_word(phrase: str) -> None:
    with pytest.raises(ValueError, match="must begin with a word or a verb"):
        list(compile_phrase(phrase))


@pytest.mark.parametrize(
    "data",
    [
        {"groups": [{"rule": "Bad Name", "draw": "verb", "phrases": "x"}], "lists": {}},
        {"groups": [{"rule": "x", "draw": "verb", "phrases": ""}], "lists": {}},
        {"groups": [], "lists": {}, "more": 1},
        {"groups": [{"rule": "x", "draw": "verb", "phrases": "x", "kind": "maybe"}], "lists": {}},
    ],
)
def test_wrong_lexicon_is_refused(data: object) -> None:
    with pytest.raises(ValidationError):
        Lexicon.model_validate(data)


@pytest.mark.parametrize(
    ("text", "cues"),
    [
        ("There is no doubt that it lacks a pool.", [("no doubt", "pseudo_idiom"), ("lacks", "verb_of_absence")]),
        ("She leaves the raisins out.", [("leaves the raisins out", "verb_of_absence")]),
        ("The leaves of mint are laid out.", []),
        ("Strips of bacon lie on top.", []),
        ("Not only that.", [("Not only", "pseudo_not_only")]),
        ("It is nut-free from start to end.", []),  # the affix is found elsewhere
    ],
)
def test_longest_phrase_wins(text: str, cues: list[tuple[str, str]]) -> None:
    (analysis,) = RulesAnalyser().analyse([text])
    sentence = Sentence(analysis.tokens)
    tokens = analysis.tokens
    found = [(text[tokens[cue.first].start : tokens[cue.last - 1].end], cue.rule) for cue in find_cues(sentence)]
    assert found == cues
