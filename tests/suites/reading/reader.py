"""Texts read by both analysers, without a file in between."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.core.store.download import find_archive
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.reading.document import read_document
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.parser import ENGLISH, PACKAGE

KNOWLEDGE: Knowledge = load_knowledge()

both_analysers = pytest.mark.parametrize("analyser", ["rules", pytest.param("parser", marks=pytest.mark.parser)])


def analyse(text: str, analyser: str = "rules") -> Analysis:
    """One text; the test is skipped where the parser would have to be fetched first."""
    if analyser == "parser" and (find_spec("spacy") is None or not (find_spec(PACKAGE) or find_archive(ENGLISH))):
        pytest.skip("the parser is not installed: pip install 'constraintsuite[parser]', then csuite fetch parser")
    return next(iter(get_analyser(analyser).analyse([text])))


def read(text: str, analyser: str = "rules", title: str = "") -> DocumentReading:
    """What a document with this text is read as."""
    return read_document(Document("d", text, title), analyse(text, analyser), KNOWLEDGE)
