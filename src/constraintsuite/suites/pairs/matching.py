"""What is known of the documents that may become pairs, and what shortcuts would pick in a pair of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from constraintsuite.core.records.examples import EXPLICIT, OMISSION, OPEN_OMISSION, Split
from constraintsuite.core.records.text import Document
from constraintsuite.suites.audit.solvers import count_negations
from constraintsuite.suites.constraints.exclude import TIED_WORDS
from constraintsuite.suites.pairs.leans import Lean
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.evidence import Stances
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.text.base import Scope
from constraintsuite.text.polarity import list_cues
from constraintsuite.text.terms import words


@dataclass(frozen=True, slots=True)
class DocumentMeasures:
    """The length of a document, and its words that deny something, whatever they deny."""

    characters: int
    words: int
    negations: int
    """Words such as "not" and "without"."""
    cues: int
    """Cues of negation, as the analyser finds them."""


def measure(text: str, scopes: Sequence[Scope]) -> DocumentMeasures:
    """The measures of a text."""
    return DocumentMeasures(len(text), len(words(text)), count_negations(text), len(list_cues(scopes)))


def length_ratio(first_words: int, second_words: int) -> float:
    """The number of words of the longer text divided by the number of words of the shorter one."""
    return max(first_words, second_words) / max(1, min(first_words, second_words))


@dataclass(frozen=True)
class Matching:
    """What is known of the documents that may become pairs. Documents and readings are read from disk when needed."""

    documents: Mapping[str, Document]
    readings: Mapping[str, DocumentReading]
    measures: Mapping[str, DocumentMeasures]
    clusters: Mapping[str, str]
    years: Mapping[str, int]
    splits: Mapping[str, Split]
    evidence: Mapping[str, Stances]
    """By proposal id."""
    topic_scores: Mapping[str, Mapping[str, float]]
    """The BM25 scores of the documents in the pool of each topic."""
    best_scores: Mapping[str, float]
    """The highest score in the pool of each topic."""
    pooled: Mapping[str, Set[str]]
    """The documents in the pool of the topic or of the opposite query, by proposal id."""

    def length_ratio(self, a: str, b: str) -> float:
        """The length of the longer document divided by the length of the shorter one, in words."""
        return length_ratio(self.measures[a].words, self.measures[b].words)

    def are_duplicates(self, a: str, b: str) -> bool:
        """Whether two documents are in one near-duplicate cluster."""
        return self.clusters.get(a, a) == self.clusters.get(b, b)

    def mention_equally_often(self, a: str, b: str, proposal: Proposal) -> bool:
        """Whether both documents mention Y the same number of times, or one does not mention it at all."""
        mentions = self.evidence[proposal.id].mentions
        return a not in mentions or b not in mentions or mentions[a].count == mentions[b].count

    def delay(self, satisfying: str, violating: str, proposal: Proposal) -> int:
        """1 if the satisfying document mentions Y later than the violating one, -1 if earlier, 0 if at about the same place."""
        mentions = self.evidence[proposal.id].mentions
        if satisfying not in mentions or violating not in mentions:
            return 0
        later = mentions[satisfying].first - mentions[violating].first
        return 0 if abs(later) <= TIED_WORDS else _sign(later)

    def lean(self, satisfying: str, violating: str, proposal: Proposal) -> Lean:
        """What the balanced solvers would pick in this pair of untouched texts, as `balancing.measure_leans` finds in a draft."""
        good, bad = self.measures[satisfying], self.measures[violating]
        mentions = self.evidence[proposal.id].mentions
        both = satisfying in mentions and violating in mentions
        return (
            -self.delay(satisfying, violating, proposal),
            _sign(bad.cues - good.cues),
            _sign(bad.negations - good.negations),
            _sign(mentions[violating].forms - mentions[satisfying].forms) if both else 0,
            _sign(bad.words - good.words),
        )


def natural_draft(
    proposal: Proposal, satisfying: str, violating: str, matching: Matching, *, cost: float, couple: str = ""
) -> PairDraft:
    """Two untouched texts: ExplicitMention if the satisfying one denies Y, else Omission."""
    name = EXPLICIT if satisfying in matching.evidence[proposal.id].denying else silent_slice(proposal)
    texts = (DraftDocument(document, matching.documents[document].text) for document in (satisfying, violating))
    return make_draft(name, proposal, *texts, cost=cost, couple=couple)


def silent_slice(proposal: Proposal) -> str:
    """The slice of a pair whose satisfying text does not mention Y; of an attribute, silence proves nothing."""
    return OPEN_OMISSION if proposal.is_attribute else OMISSION


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
