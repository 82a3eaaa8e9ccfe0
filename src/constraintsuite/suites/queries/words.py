"""The closed word lists that queries rest on: the file `words.yaml`, which says what each is for."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel

from constraintsuite.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet


class QueryWords(BaseModel, frozen=True, extra="forbid"):
    """Words that narrow no topic, and those by which a given query is taken apart."""

    decoration: WordSet
    genred_kinds: WordSet
    articles: WordSet
    negative: WordSet
    question_words: WordSet
    months: WordSet
    linking: WordSet


@cache
def query_words() -> QueryWords:
    """The lists, read once."""
    return QueryWords.model_validate(read_package_yaml("constraintsuite.suites.queries", "words.yaml"))
