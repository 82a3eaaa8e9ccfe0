from __future__ import annotations

import pytest

from constraintsuite.text.base import Analyser
from constraintsuite.text.pos_tagger import tag_table


@pytest.mark.parametrize(
    ("text", "word", "pos", "lemma"),
    [
        ("The dogs run.", "dogs", "NOUN", "dog"),
        ("She lacks patience.", "lacks", "VERB", "lack"),
        ("They offer a free lunch.", "free", "ADJ", "free"),
        ("The zoo kept elephants.", "kept", "VERB", "keep"),
        ("It has been removed.", "has", "AUX", "have"),
        ("It has a pool.", "has", "VERB", "have"),
        ("We went to Lugo.", "Lugo", "PROPN", "Lugo"),
        ("NO PETS ALLOWED", "PETS", "NOUN", "pet"),
        ("They plan to find water.", "find", "VERB", "find"),
        ("All that glitters.", "All", "PRON", "all"),
        ("All rooms have it.", "All", "DET", "all"),
        ("It costs 25 crowns.", "25", "NUM", "25"),
        ("A websocketish zorb.", "zorb", "NOUN", "zorb"),
    ],
)
def test_part_of_speech_and_base_form(rules: Analyser, text: str, word: str, pos: str, lemma: str) -> None:
    (analysis,) = rules.analyse([text])
    token = next(token for token in analysis.tokens if token.text == word)
    assert (token.pos, token.lemma) == (pos, lemma)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("The old mill was sold.", "DT JJ NN VBD VBN ."),
        ("She is selling it.", "PRP VBZ VBG PRP ."),
        ("Two bigger ones came quickly.", "CD JJR NNS VBD RB ."),
    ],
)
def test_tags(rules: Analyser, text: str, tags: str) -> None:
    (analysis,) = rules.analyse([text])
    assert " ".join(token.tag for token in analysis.tokens) == tags


def test_table_says_where_it_comes_from() -> None:
    assert "benchmarks/tag_table.py" in tag_table().provenance


@pytest.mark.parser
def test_light_tagger_agrees_with_the_parser(rules: Analyser, parser: Analyser) -> None:
    texts = [
        "The old cinema on the square shows films on Fridays, and the owner sells tickets at the door.",
        "Guests who arrive late find the key in a small box; it opens with a code that changes each week.",
    ]
    agree = total = 0
    for ours, theirs in zip(rules.analyse(texts), parser.analyse(texts), strict=True):
        places = {(token.start, token.end): token.pos for token in theirs.tokens}
        for token in ours.tokens:
            total += 1
            agree += places.get((token.start, token.end)) == token.pos
    assert agree / total > 0.9
