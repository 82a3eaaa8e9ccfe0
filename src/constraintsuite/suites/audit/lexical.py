"""Solvers that match words: what a search engine without any notion of negation does with the pair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import load_scorer
from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import FloatArray, Side, Solver, document, most
from constraintsuite.text.terms import TermAnalyser


def _bm25_advantage(examples: Sequence[Example], queries: Sequence[str]) -> FloatArray:
    pos = [example.docs.pos.text for example in examples]
    neg = [example.docs.neg.text for example in examples]
    scorer = load_scorer(
        "bm25:nostop", Workbench([*pos, *neg])
    )  # stops no word: a "not" that query and text share counts
    return scorer.score(list(zip(queries, pos, strict=True))) - scorer.score(list(zip(queries, neg, strict=True)))


def _higher_under_negated(examples: Sequence[Example]) -> FloatArray:
    return _bm25_advantage(examples, [example.query.neg for example in examples])


def _lower_under_affirmative(examples: Sequence[Example]) -> FloatArray:
    return -_bm25_advantage(examples, [example.query.base for example in examples])


@cache
def _all_words() -> TermAnalyser:
    return TermAnalyser(stop_list="none", stem=True)


def _shared_terms(example: Example, side: Side) -> int:
    terms = _all_words().terms
    return len(set(terms(example.query.neg)) & set(terms(document(example, side).text)))


BM25_NEGATED = Solver("the higher BM25 score under the negated query", _higher_under_negated)
BM25_AFFIRMATIVE = Solver("the lower BM25 score under the affirmative query", _lower_under_affirmative)
OVERLAP = Solver("the text that shares more distinct words with the negated query", most(_shared_terms))
