"""Reads one analysed document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from constraintsuite.records.text import Document
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.classes import read_classes
from constraintsuite.suites.reading.facts import read_facts
from constraintsuite.suites.reading.nouns import read_nouns
from constraintsuite.suites.reading.records import ClassReading, DocumentReading
from constraintsuite.text.base import Analysis

PRONOUNS = {"he": "He", "she": "She", "it": "It", "they": "They"}


def read_document(document: Document, analysis: Analysis, knowledge: Knowledge) -> DocumentReading:
    """Classes, facts, nouns and scopes of a document."""
    classes = read_classes(analysis, knowledge)
    facts = read_facts(analysis, classes, document.title, knowledge)
    return DocumentReading(
        id=document.id,
        classes=classes,
        facts=facts,
        nouns=read_nouns(analysis, knowledge),
        scopes=analysis.scopes,
        sentences=tuple((span.start, span.end) for span in analysis.sentences),
        pronoun=_pronoun(analysis),
        hints=_hints(analysis, classes),
    )


def _hints(analysis: Analysis, classes: Sequence[ClassReading]) -> tuple[str, ...]:
    """The relation phrases of the defining sentence."""
    defining = next((reading for reading in classes if reading.strength == 3), None)
    if defining is None:
        return ()
    end = next((span.end for span in analysis.sentences if span.start <= defining.start < span.end), 0)
    tokens = [token for token in analysis.tokens if defining.end <= token.start < end]
    found = [f"{a.text.lower()} {b.text.lower()}" for a, b in pairwise(tokens) if a.tag == "VBN" and b.pos == "ADP"]
    return tuple(dict.fromkeys(found))


def _pronoun(analysis: Analysis) -> str:
    """The commonest third-person pronoun at the start of a sentence, else anywhere."""
    starts = {span.start for span in analysis.sentences[1:]}
    words = [token.text.lower() for token in analysis.tokens if token.start in starts]
    counts = Counter(word for word in words if word in PRONOUNS)
    if not counts:
        counts = Counter(t.text.lower() for t in analysis.tokens if t.text.lower() in {"he", "she"})
    return PRONOUNS[counts.most_common(1)[0][0]] if counts else ""
