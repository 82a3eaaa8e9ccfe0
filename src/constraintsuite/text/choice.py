"""Which analyser `auto` means on this machine."""

from __future__ import annotations

from importlib.util import find_spec

from constraintsuite.store.download import find_archive
from constraintsuite.text.parser import ENGLISH, PACKAGE


def choose_analyser(name: str) -> str:
    """`parser` where spaCy and its English pipeline are at hand, else `rules`; a name that was given stays."""
    if name != "auto":
        return name
    at_hand = find_spec("spacy") is not None and (find_spec(PACKAGE) is not None or find_archive(ENGLISH) is not None)
    return "parser" if at_hand else "rules"
