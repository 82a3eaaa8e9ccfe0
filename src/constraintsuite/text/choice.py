"""Choose an analyser for this machine, and load one by name."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from constraintsuite.core.store.download import find_archive
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analyser
from constraintsuite.text.parser import ENGLISH, PACKAGE


def choose_analyser(name: str) -> str:
    """The name itself, but for `auto`: `parser` if spaCy and its English pipeline are installed, else `rules`."""
    if name != "auto":
        return name
    installed = find_spec("spacy") is not None and (find_spec(PACKAGE) is not None or find_archive(ENGLISH) is not None)
    return "parser" if installed else "rules"


@cache
def get_analyser(name: str) -> Analyser:
    """The analyser of that name, loaded once per process."""
    return ANALYSERS.load(name)()
