"""Filters: each gives a reason to reject a pair, or None. `stages/kept.py` counts the reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from constraintsuite.core.records.examples import MINPAIRS, SATISFYING, VIOLATING
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.pairs.matching import length_ratio
from constraintsuite.suites.pairs.records import CheckedPair
from constraintsuite.text.edits import starts_with_vowel_sound
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import TermAnalyser, words

_TERMS = TermAnalyser()


Filter = Callable[[CheckedPair], str | None]


def find_reasons(pair: CheckedPair) -> Iterator[str]:
    """The reasons to reject a pair, filter by filter; none if it passes."""
    return (reason for check in FILTERS.values() if (reason := check(pair)) is not None)


def check_constraint(pair: CheckedPair) -> str | None:
    """Reject pairs that do not show the constraint obeyed and violated, as its type defines that."""
    return load_builder(pair.proposal.constraint.type).find_fault(pair)


def check_length(pair: CheckedPair) -> str | None:
    """Reject pairs in which one text is much longer than the other."""
    ratio = length_ratio(len(words(pair.satisfying.text)), len(words(pair.violating.text)))
    return "length_ratio" if ratio > pair.pairs.max_length_ratio else None


def check_topic(pair: CheckedPair) -> str | None:
    """Reject pairs in which a document has too few of the topic's terms, unless signs of its class put it on the topic."""
    if pair.proposal.by_signs:
        return None
    for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
        share = topic_share(pair.proposal.topic, document.title, document.text)
        if share is None:
            return "topic_without_terms"
        if share < pair.filters.min_topic_overlap:
            return f"{role}_off_topic"
    return None


def topic_share(topic: str, title: str, text: str) -> float | None:
    """Share of the topic's terms that are in a document; None for a topic without terms."""
    wanted = set(_TERMS.terms(topic))
    return len(wanted & set(_TERMS.terms(f"{title} {text}"))) / len(wanted) if wanted else None


def check_similarity(pair: CheckedPair) -> str | None:
    """Reject equal texts, and near-copies that are not meant as a minimal pair."""
    if pair.satisfying.text == pair.violating.text:
        return "equal_texts"
    alike = jaccard(set(words(pair.satisfying.text)), set(words(pair.violating.text)))
    if pair.draft.slice != MINPAIRS and alike > pair.filters.max_pair_similarity:
        return "too_similar"
    return None


_FAULTS = re.compile(r" ,|,,|\.\.(?!\.)|  | \.(?=\s|$)|\b(\w+) \1 \1\b", re.IGNORECASE)

_ARTICLE = re.compile(r"(?<![\w-])(an?) ([\w-]{2,})(?=\W)", re.IGNORECASE)


def check_wording(pair: CheckedPair) -> str | None:
    """Reject edited texts with a wrong article, or with faulty punctuation or spacing, at the edit."""
    for document in pair.draft.documents:
        for start, end in document.changed:
            around = document.text[max(0, start - 4) : end + 12]
            if _FAULTS.search(around) or _wrong_article(around):
                return "edit_not_clean"
    return None


def _wrong_article(text: str) -> bool:
    found = _ARTICLE.findall(text)
    return any((article.lower() == "an") != starts_with_vowel_sound(word) for article, word in found)


FILTERS: Mapping[str, Filter] = {
    "constraint": check_constraint,
    "length": check_length,
    "topic": check_topic,
    "similarity": check_similarity,
    "wording": check_wording,
}
