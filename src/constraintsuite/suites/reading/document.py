"""Reads one analysed document: its classes, facts, nouns and scopes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from constraintsuite.core.records.text import Document
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.classes import read_classes
from constraintsuite.suites.reading.facts import read_facts
from constraintsuite.suites.reading.names import read_names
from constraintsuite.suites.reading.records import ClassReading, DocumentReading, NounReading, ValuesRead
from constraintsuite.suites.reading.signs import read_signs
from constraintsuite.text.base import Analysis, Token
from constraintsuite.text.dates.read import read_dates
from constraintsuite.text.places.reader import read_places
from constraintsuite.text.quantities.reader import read_quantities


def read_document(document: Document, analysis: Analysis, knowledge: Knowledge) -> DocumentReading:
    """Everything that later stages need to know of a document."""
    classes = read_classes(analysis, knowledge)
    facts = read_facts(analysis, classes, document.title, knowledge)
    return DocumentReading(
        id=document.id,
        classes=(*classes, *read_signs(document, knowledge)),
        facts=facts,
        nouns=read_nouns(analysis, knowledge),
        scopes=analysis.scopes,
        sentences=tuple((span.start, span.end) for span in analysis.sentences),
        hints=_hints(analysis, classes),
        names=read_names(analysis, facts, document.title, knowledge),
        dates=read_dates(analysis.text),
        quantities=read_quantities(analysis.text),
        places=read_places(analysis.text),
    )


@lru_cache(maxsize=256)
def read_values(analysis: Analysis, knowledge: Knowledge) -> ValuesRead:
    """The values of a text, and what decides whose they are."""
    classes = read_classes(analysis, knowledge)
    return ValuesRead("", analysis.scopes, classes, read_dates(analysis.text), read_quantities(analysis.text))


def _hints(analysis: Analysis, classes: Sequence[ClassReading]) -> tuple[str, ...]:
    """Participles with a preposition after the class noun of the defining sentence, such as "located in"."""
    defining = next((reading for reading in classes if reading.strength == 3), None)
    if defining is None:
        return ()
    end = next((span.end for span in analysis.sentences if span.start <= defining.start < span.end), 0)
    tokens = [token for token in analysis.tokens if defining.end <= token.start < end]
    found = [f"{a.text.lower()} {b.text.lower()}" for a, b in pairwise(tokens) if a.tag == "VBN" and b.pos == "ADP"]
    return tuple(dict.fromkeys(found))


PART = {"ADJ", "NOUN", "PROPN"}
ARGUMENTS = {"dobj", "pobj", "nsubj", "nsubjpass", "attr"}
REACH = 6
"""A link may be this many tokens before or after its noun phrase."""
STOPS = {".", ";", ":"}


def read_nouns(analysis: Analysis, knowledge: Knowledge) -> tuple[NounReading, ...]:
    """Every noun, with up to two words before it that modify it."""
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
        link = _link_before(tokens, start, knowledge) or _link_after(tokens, i, knowledge)
        readings.append(NounReading(lemmas, part[0].start, token.end, link, tuple(t.pos for t in part)))
    return tuple(readings)


def is_plural(noun: NounReading, text: str) -> bool:
    """Whether a noun is in the plural in its text."""
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


def _link_before(tokens: Sequence[Token], start: int, knowledge: Knowledge) -> str:
    words = [t.text.lower() for t in tokens[max(0, start - REACH) : start]]
    for i in range(len(words) - 1, -1, -1):
        if words[i] in STOPS:
            return ""
        pair = " ".join(words[max(0, i - 1) : i + 1])  # "thickened with" before "with"
        for link in (pair, words[i]):
            if link in knowledge.words_before:
                return link
    return ""


def _link_after(tokens: Sequence[Token], i: int, knowledge: Knowledge) -> str:
    for token in tokens[i + 1 : i + 1 + REACH]:
        word = token.text.lower()
        if word in STOPS or word == ",":
            return ""
        if word in knowledge.words_after:
            return word
    return ""
