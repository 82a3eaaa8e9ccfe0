"""Solvers that match words: what a search engine without any notion of negation does with the pair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import load_scorer
from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import FloatArray, Solver, most
from constraintsuite.text.terms import TermAnalyser


def _bm25_advantage(examples: Sequence[Example], queries: Sequence[str]) -> FloatArray:
    good = [example.satisfying.text for example in examples]
    bad = [example.violating.text for example in examples]
    scorer = load_scorer("bm25:nostop", Workbench([*good, *bad]))  # a "not" that query and text share counts
    return scorer.score(list(zip(queries, good, strict=True))) - scorer.score(list(zip(queries, bad, strict=True)))


def _higher_under_query(examples: Sequence[Example]) -> FloatArray:
    return _bm25_advantage(examples, [example.query for example in examples])


def _lower_under_opposite(examples: Sequence[Example]) -> FloatArray:
    return -_bm25_advantage(examples, [example.opposite or "" for example in examples])


@cache
def _all_words() -> TermAnalyser:
    return TermAnalyser(stop_list="none", stem=True)


def _shared_terms(example: Example, role: str) -> int:
    terms = _all_words().terms
    return len(set(terms(example.query)) & set(terms(example.document(role).text)))


BM25_QUERY = Solver("the higher BM25 score under the query", _higher_under_query)
BM25_OPPOSITE = Solver("the lower BM25 score under the opposite query", _lower_under_opposite)
OVERLAP = Solver("the text that shares more distinct words with the query", most(_shared_terms))
