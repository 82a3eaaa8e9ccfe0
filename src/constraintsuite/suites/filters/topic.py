"""Both documents are on topic, measured on the topic's own terms (never on Y, which only one of them may hold)."""

from __future__ import annotations

from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.text.terms import TermAnalyser

_TERMS = TermAnalyser()


def check(pair: CheckedPair) -> str | None:
    """Reject pairs of which a document holds too few of the topic's terms."""
    for role, document in (("satisfying", pair.satisfying), ("violating", pair.violating)):
        share = topic_share(pair.proposal.topic, document.title, document.text)
        if share is None:
            return "topic_without_terms"
        if share < pair.filters.min_topic_overlap:
            return f"{role}_off_topic"
    return None


def topic_share(topic: str, title: str, text: str) -> float | None:
    """Share of the topic's terms that a document holds; None for a topic without terms."""
    wanted = set(_TERMS.terms(topic))
    return len(wanted & set(_TERMS.terms(f"{title} {text}"))) / len(wanted) if wanted else None
