"""Noun phrases around a date, from parts of speech alone."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.text.base import Token

VERB_TAGS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"))
_IN_PHRASE = frozenset(("NOUN", "PROPN", "ADJ", "NUM", "DET"))
_JOINERS = frozenset(("-", "'s", "’s"))
_EDGES = frozenset((",", ";", ":", "(", '"', "“"))
_EDGE_TAGS = VERB_TAGS | {"MD", "WDT", "WP", "WRB"}
_OPENERS = frozenset(("CCONJ", "ADV", "PUNCT", "SCONJ"))
_QUOTES = ('"', "“", "”")


class DatedTokens:
    """The tokens of a sentence with one date: it reaches from `at` up to, but not including, `after`."""

    def __init__(self, text: str, tokens: Sequence[Token], start: int, end: int) -> None:
        self.text = text
        self.tokens = tokens
        self.at = next((place for place, one in enumerate(tokens) if one.end > start), len(tokens))
        self.after = next((place for place in range(self.at, len(tokens)) if tokens[place].start >= end), len(tokens))

    def word(self, at: int) -> str:
        """The word at a place; nothing outside the sentence."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def pos(self, at: int) -> str:
        """The part of speech at a place; nothing outside the sentence."""
        return self.tokens[at].pos if 0 <= at < len(self.tokens) else ""

    def phrase(self, first: int, last: int) -> str:
        """The words from one place to another, as the text has them."""
        if not 0 <= first <= last < len(self.tokens):
            return ""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def noun_from(self, first: int) -> str:
        """The noun phrase that begins at a place."""
        last = first
        while self.pos(last) in _IN_PHRASE or self.word(last) in _JOINERS:
            last += 1
        return self.phrase(first, last - 1)

    def noun_back(self, last: int) -> tuple[int, int]:
        """The places of the noun phrase that ends at a place, back to its article."""
        while last >= 0 and self.word(last) in (",", ")"):
            last -= 1
        first = last
        while first > 0 and self._joins_phrase(first - 1):
            first -= 1
            if self.pos(first) == "DET" and self.word(first - 1) != "of":
                break
        while first < last and self.pos(first) in ("ADP", "PUNCT", "PART"):
            first += 1
        return first, last

    def _joins_phrase(self, at: int) -> bool:
        return self.pos(at) in _IN_PHRASE or self.word(at) in _JOINERS or self.word(at) == "of"

    def object_of(self, verb: int) -> str:
        """The noun phrase right after a verb; of "his first album, 'Cinémascope'", the title."""
        first = last = verb + 1
        if self.pos(first) not in _IN_PHRASE and self.pos(first) != "PRON" and self.word(first) != '"':
            return ""
        while not self._ends_object(last):
            last += 1
        if self.word(last) == "," and self.word(last + 1) in _QUOTES:
            first = last + 2
            last = next((at for at in range(first, len(self.tokens)) if self.word(at) in (*_QUOTES, ",")), first)
        return "" if first <= self.at < last else self.phrase(first, last - 1)

    def _ends_object(self, at: int) -> bool:
        return self.pos(at) in ("", "ADP", "VERB", "AUX", "CCONJ", "SCONJ") or self.word(at) in (",", ";", ".", "(")

    def subject_phrase(self, last: int) -> str:
        """The subject that ends at a place, without its prepositional phrases; of an apposition, the name before it."""
        first = self._clause_start(last)
        if first <= self.at <= last:
            first = min(self.after, last)
        while first < last and (self.pos(first) in _OPENERS or self.word(first).isdigit()):
            first += 1
        if self.pos(first) == "ADP":
            return self.phrase(*self.noun_back(last))
        if self.word(first - 1) == "," and self.pos(first) == "DET" and self.pos(first - 2) == "PROPN":
            return self.phrase(*self.noun_back(first - 2))
        places = range(first + 1, last + 1)
        end = next((at for at in places if self.pos(at) == "ADP" and self.word(at) != "of"), last + 1)
        return self.phrase(first, end - 1)

    def _clause_start(self, last: int) -> int:
        """The first place of the words before `last` that no verb, conjunction or mark divides; brackets are passed over."""
        first, depth = last, 0
        while first > 0:
            before = self.tokens[first - 1]
            depth = max(0, depth + (before.text in (")", "]")) - (before.text in ("(", "[")))
            if depth == 0 and (before.text in _EDGES or before.tag in _EDGE_TAGS):
                break
            if before.pos in ("SCONJ", "AUX"):
                break
            first -= 1
        return first

    def noun_after_comma(self) -> str:
        """The subject of a sentence that opens with a participle: Built in 1911, the villa ..."""
        comma = next((at for at in range(self.after, len(self.tokens)) if self.word(at) == ","), None)
        if comma is None or self.pos(comma + 1) not in (*_IN_PHRASE, "PRON"):
            return ""
        last = comma + 1
        while self.pos(last + 1) and self.pos(last) not in ("NOUN", "PROPN", "PRON"):
            last += 1
        while self.pos(last + 1) in ("NOUN", "PROPN"):
            last += 1
        return self.phrase(comma + 1, last)
