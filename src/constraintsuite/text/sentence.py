"""A sentence with its tokens, and the tests of words that many rules use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.text.base import Token

FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
NOMINAL = frozenset(("NOUN", "PROPN", "PRON", "NUM"))
HARD_MARKS = frozenset((";", ":", "—", "–", "--", "(", ")", "[", "]", "{", "}", "…", "...", "•", "|", "?", "!", "."))
VERB_GROUP = 10
"""The largest number of words between a verb and its auxiliaries."""
QUOTES = frozenset(("“", "”", '"', "‘", "’", "'", "``", "''", "«", "»"))
_FINITE_FORMS = frozenset(
    ("is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "'s", "'re", "'ve", "'m")
)


class TokenRange(NamedTuple):
    """Tokens from `first` up to, not including, `last`."""

    first: int
    last: int


class Sentence:
    """The tokens of one sentence; places are counted from its first token."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.words = tuple(token.text.lower().replace("’", "'") for token in tokens)
        self.length = len(tokens)

    def word(self, at: int) -> str:
        """The word at a place in lower case; empty outside the sentence."""
        return self.words[at] if 0 <= at < self.length else ""

    def pos(self, at: int) -> str:
        """The part of speech at a place; empty outside the sentence."""
        return self.tokens[at].pos if 0 <= at < self.length else ""

    def tag(self, at: int) -> str:
        """The tag at a place; empty outside the sentence."""
        return self.tokens[at].tag if 0 <= at < self.length else ""

    def lemma(self, at: int) -> str:
        """The base form at a place; empty outside the sentence."""
        return self.tokens[at].lemma.lower() if 0 <= at < self.length else ""

    def is_verb(self, at: int) -> bool:
        """Whether the word is a verb of any form or an auxiliary."""
        return self.pos(at) in ("VERB", "AUX")

    def is_finite(self, at: int) -> bool:
        """Whether the word is a finite verb."""
        if self.pos(at) not in ("VERB", "AUX"):
            return False
        tag = self.tokens[at].tag
        if tag == "VBP" and self.word(at - 1) in ("a", "an", "the"):  # a carry case
            return False
        return tag in FINITE or (self.words[at] in _FINITE_FORMS and tag not in ("VB", "VBN", "VBG"))

    def is_helper(self, at: int) -> bool:
        """Whether the word is a form of be, have or do, or a modal verb, whatever its tag."""
        return self.lemma(at) in ("be", "have", "do") or self.tag(at) == "MD"

    def is_nominal(self, at: int) -> bool:
        """Whether the word is a noun, name, pronoun or number."""
        return self.pos(at) in NOMINAL

    def is_hard(self, at: int) -> bool:
        """Whether the place has a mark that ends a clause, or is outside the sentence."""
        return not 0 <= at < self.length or self.words[at] in HARD_MARKS

    def skip_adverbs(self, at: int) -> int:
        """The first place from `at` on that is not an adverb, negation particle or quotation mark."""
        last = at + VERB_GROUP
        while at < last and (self.pos(at) == "ADV" or self.word(at) in QUOTES or self.word(at) in ("not", "n't")):
            at += 1
        return at

    def skip_adverbs_back(self, at: int) -> int:
        """The last place up to `at` that is not an adverb or negation particle; -1 if there is none."""
        first = max(at - VERB_GROUP, -1)
        while at > first and (self.tokens[at].pos == "ADV" or self.words[at] in ("not", "n't")):
            at -= 1
        return at

    def find(self, words: frozenset[str], first: int, last: int) -> int:
        """The first place of one of the words in a range; -1 if there is none."""
        return next((at for at in range(max(first, 0), min(last, self.length)) if self.words[at] in words), -1)
