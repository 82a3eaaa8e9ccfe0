"""The analyser without a parser: word lists, a small part-of-speech tagger, and scopes by word order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from constraintsuite.text.base import Analysis
from constraintsuite.text.lexicon import lexicon_digest
from constraintsuite.text.pos_tagger import tag_sentence
from constraintsuite.text.scope import RULES_VERSION, check_lexicon, draw_text
from constraintsuite.text.scoped_sentence import ScopedSentence
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.tokens import find_tokens


class RulesAnalyser:
    """Analyses texts with word lists and rules."""

    name = "rules"

    def __init__(self) -> None:
        check_lexicon()
        self.version = f"{RULES_VERSION}, lexicon {lexicon_digest()}"

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The analysis of each text, in order."""
        for text in texts:
            spans = tuple(split_sentences(text))
            tagged = [tag_sentence(text, find_tokens(text, span)) for span in spans]
            scopes = draw_text([ScopedSentence(tokens) for tokens in tagged])
            yield Analysis(text, spans, tuple(chain.from_iterable(tagged)), scopes)
