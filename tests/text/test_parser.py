from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.text import parser as module
from constraintsuite.text.audit import read_sentences
from constraintsuite.text.base import Analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.parser import ParserAnalyser
from constraintsuite.text.polarity import judge_mention

TEXTS = [sentence.text for sentence in read_sentences("dev")][:40]


def test_missing_spacy_is_said_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'constraintsuite\[parser\]'"):
        ParserAnalyser()


@pytest.mark.parser
def test_version_names_spacy_and_its_pipeline(parser: Analyser) -> None:
    assert "spacy 3." in parser.version
    assert "en_core_web_sm" in parser.version


@pytest.mark.parser
def test_batches_make_no_difference(parser: Analyser) -> None:
    together = list(parser.analyse(TEXTS))
    assert list(ParserAnalyser().analyse(reversed(TEXTS)))[::-1] == together
    assert list(ParserAnalyser().analyse([" ".join(TEXTS[:7]), *TEXTS]))[1:] == together


@pytest.mark.parser
def test_a_text_that_was_just_read_is_not_parsed_again(parser: Analyser) -> None:
    first, second, again = parser.analyse(["The hut has no stove.", "Bring one.", "The hut has no stove."])
    assert again is first
    assert second != first


@pytest.mark.parser
def test_tokens_have_heads_inside_the_text(parser: Analyser) -> None:
    (analysis,) = parser.analyse(["The hut  has no stove.\n\n Bring one."])
    assert [token.text for token in analysis.tokens] == ["The", "hut", "has", "no", "stove", ".", "Bring", "one", "."]
    stove = analysis.tokens[4]
    assert (stove.pos, stove.dep, analysis.tokens[stove.head].text) == ("NOUN", "dobj", "has")


@pytest.mark.parser
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=80))
def test_reads_any_text(parser: Analyser, text: str) -> None:
    (analysis,) = parser.analyse([text])
    assert analysis.text == text
    assert all(text[token.start : token.end] == token.text for token in analysis.tokens)
    assert all(0 <= scope.start < scope.end <= len(text) for scope in analysis.scopes)


@pytest.mark.parser
def test_a_list_that_ends_in_a_misread_noun_is_denied_to_its_end(parser: Analyser) -> None:
    (analysis,) = parser.analyse(["The sauce has no nuts, dairy or gluten."])
    for word in ("nuts", "dairy", "gluten"):
        (mention,) = find_forms(analysis.text, [word])
        assert judge_mention(mention, analysis.scopes).verdict == "negated"
