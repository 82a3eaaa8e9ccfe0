"""The two analysers, loaded once."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from constraintsuite.core.store.download import find_archive
from constraintsuite.text.base import Analyser
from constraintsuite.text.parser import ENGLISH, PACKAGE, ParserAnalyser
from constraintsuite.text.rules import RulesAnalyser


@pytest.fixture(scope="session")
def rules() -> Analyser:
    return RulesAnalyser()


@pytest.fixture(scope="session")
def parser() -> Analyser:
    if find_spec("spacy") is None:
        pytest.skip("spaCy is not installed: pip install 'constraintsuite[parser]'")
    if find_spec(PACKAGE) is None and find_archive(ENGLISH) is None:
        pytest.skip("the English pipeline was not fetched: csuite fetch parser")
    return ParserAnalyser()
