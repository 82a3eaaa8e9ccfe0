"""Rules for written queries, so that no single word gives the passage away (NevIR, Weller et al. 2024)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.terms import TermAnalyser, words
from constraintsuite.text.wordlists import WordSet

LONGEST = 300
"""Characters of a query."""
RULES = (
    "Each query is answered by one passage only: the first query by passage 1, the second by passage 2.",
    "Both queries ask for the same kind of answer, best the very same one: only the passage that gives it differs.",
    "The answer appears in the passage as words; a yes/no question is refused.",
    "A query is understood by someone who sees neither passage: name what it is about, not “the text” or “he”.",
    "Do not use a word, in any form, that appears in only one of the two passages.",
)
"""As annotators read them. A program checks the last rule and parts of the others; the rest needs people."""


class QueryFault(NamedTuple):
    """A broken rule in one of the two queries."""

    query: int
    """0 or 1."""
    reason: str


class _Lists(StrictModel):
    openers: WordSet
    question_words: WordSet


def tidy(query: str) -> str:
    """A query with single spaces and without invisible characters."""
    composed = unicodedata.normalize("NFC", query)
    return " ".join("".join(c for c in composed if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")).split())


def find_faults(passages: tuple[str, str], queries: tuple[str, str]) -> list[QueryFault]:
    """Find the broken rules in the queries for two passages, as far as a program can."""
    tidied = [tidy(query) for query in queries]
    found = [
        QueryFault(number, reason) for number, query in enumerate(tidied) for reason in _faults_of(passages, query)
    ]
    if tidied[1] and _words(tidied[0]) == _words(tidied[1]):
        found.append(QueryFault(1, "Both queries say the same: no passage can answer just one of them."))
    return found


def words_of_one(passages: tuple[str, str], query: str) -> list[tuple[str, int]]:
    """The words of a query that occur in one passage only, in this or another form, with the number of that passage."""
    exact = [frozenset(_words(text)) for text in passages]
    forms = [_forms(text) for text in passages]
    found: dict[str, int] = {}
    for word in _words(query):
        for texts, wanted in ((exact, {word}), (forms, _forms(word))):
            inside = [bool(wanted & text) for text in texts]
            if inside[0] != inside[1]:
                found.setdefault(word, inside.index(True))
    return list(found.items())


def own_words(passages: tuple[str, str]) -> tuple[int, ...]:
    """The passages, 0 and 1, that have words which the other lacks; none if both have the same words."""
    first, second = (frozenset(_words(text)) for text in passages)
    return tuple(number for number, own in enumerate((first - second, second - first)) if own)


def asks_yes_or_no(query: str) -> bool:
    """Whether a clause begins with an auxiliary verb before any question word occurs."""
    for clause in query.split(","):
        spoken = _words(clause)
        if spoken and spoken[0] in _lists().openers:
            return True
        if _lists().question_words & set(spoken):
            return False
    return False


def _faults_of(passages: tuple[str, str], query: str) -> Iterator[str]:
    if not _words(query):
        yield "Write a query."
        return
    if len(query) > LONGEST:
        yield f"{len(query)} characters; at most {LONGEST} are taken."
        return
    for word, passage in words_of_one(passages, query):
        yield f"“{word}” appears only in passage {passage + 1}. Use words of both passages, or of neither."
    if asks_yes_or_no(query):
        yield "This is answered by yes or no. Begin with what, which, who, when, where, why or how."


def _words(text: str) -> list[str]:
    return words(unicodedata.normalize("NFKC", tidy(text)).replace("’", "'"))


def _forms(text: str) -> frozenset[str]:
    return frozenset(TermAnalyser(stop_list="none").terms(" ".join(_words(text))))


@cache
def _lists() -> _Lists:
    return read_package_yaml(_Lists, "constraintsuite.suites.annotation.kinds", "query_rules.yaml")
