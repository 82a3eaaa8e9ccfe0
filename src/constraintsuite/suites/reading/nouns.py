"""Noun phrases of a text and the words that tie them to its subject: what it has, uses, allows."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.records.text import Span
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.records import NounReading
from constraintsuite.text.base import Analysis, Token

PART = {"ADJ", "NOUN", "PROPN"}
ARGUMENTS = {"dobj", "pobj", "nsubj", "nsubjpass", "attr"}
REACH = 6
"""How many tokens before a noun phrase its link may stand."""


def read_nouns(analysis: Analysis, knowledge: Knowledge) -> tuple[NounReading, ...]:
    """Every noun with up to two words before it that belong to it."""
    readings = []
    tokens = analysis.tokens
    for i, token in enumerate(tokens):
        if not _is_head(tokens, i):
            continue
        start = i
        while start > 0 and i - start < 2 and _modifies(tokens, start - 1):
            start -= 1
        part = tokens[start : i + 1]
        lemmas = (*(t.text.lower() for t in part[:-1]), _lemma(token))
        readings.append(NounReading(lemmas, part[0].start, token.end, _link(tokens, start, knowledge)))
    return tuple(readings)


def bare_noun(span: Span, nouns: Sequence[NounReading]) -> NounReading | None:
    """The noun that fills a stretch of text; None where an adjective or another noun belongs to it, or it is none."""
    return next((noun for noun in nouns if (noun.start, noun.end) == (span.start, span.end)), None)


def is_plural(noun: NounReading, text: str) -> bool:
    """Whether a noun stands in the plural in the text it was read from."""
    return not text[noun.start : noun.end].lower().endswith(noun.lemmas[-1])


def _is_head(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    gerund = token.tag == "VBG" and token.dep in ARGUMENTS  # "there is no jumping"
    name = token.pos == "PROPN" and (token.text.isupper() or "-" in token.text)  # ORM, Wi-Fi: not a person or place
    if token.pos != "NOUN" and not gerund and not name:
        return False
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    if following is None or following.start > token.end + 1:
        return True
    return following.pos not in {"NOUN"} or following.start == token.end


def _modifies(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    return token.pos in PART or token.tag in {"VBG", "VBN"}


def _lemma(token: Token) -> str:
    if token.tag == "VBG" or token.text.isupper():
        return token.text.lower()
    return (token.lemma or token.text).lower()


def _link(tokens: Sequence[Token], start: int, knowledge: Knowledge) -> str:
    words = [t.text.lower() for t in tokens[max(0, start - REACH) : start]]
    for i in range(len(words) - 1, -1, -1):
        if words[i] in {".", ";", ":"}:
            return ""
        pair = " ".join(words[max(0, i - 1) : i + 1])  # "thickened with" before "with"
        if pair in knowledge.link_words or words[i] in knowledge.link_words:
            return knowledge.link_words.get(pair) or knowledge.link_words[words[i]]
    return ""
