"""Closed lists of words that rules rest on, from YAML files of the package. Each file says what its lists are for."""

from __future__ import annotations

from functools import cache

from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet

WordsByList = dict[str, frozenset[str]]
"""The words of each list, by its name."""


@cache
def reading_words() -> WordsByList:
    """Words that show what a document is, what it states of its subject, and where a name begins and ends."""
    return _read_lists("reading")


@cache
def query_words() -> WordsByList:
    """Words that narrow no topic, and words by which a given query is parsed."""
    return _read_lists("queries")


@cache
def guard_words() -> WordsByList:
    """Words that forbid a rewriting."""
    return _read_lists("controls", "data")


def _read_lists(*folder: str) -> WordsByList:
    return read_package_yaml(dict[str, WordSet], "constraintsuite.suites", *folder, "words.yaml")
