"""Measures how suitable a corpus is, before anything is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.records.figures import percent
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.recipe import QuerySettings

MIN_HINTS = 5
MIN_SURE = 2


@dataclass(frozen=True, slots=True)
class CorpusCoverage:
    """Figures about a corpus, and the verdict in words."""

    documents: int
    documents_with_class: int
    class_share: float
    topics: int
    largest_topics: tuple[tuple[str, int], ...]
    documents_with_facts: int
    facts_per_document: float
    facts_by_relation: tuple[tuple[str, int], ...]
    learned_classes: tuple[tuple[str, int], ...]
    """Class nouns of the corpus that no domain file knows, with their number of documents."""
    learned_relations: tuple[tuple[str, int], ...]
    """Relation phrases of defining sentences that no domain file knows."""
    proposals: int
    proposals_by_relation: tuple[tuple[str, int], ...]
    given_queries_usable: int
    expected_examples: int
    suits: bool
    verdict: str


def measure_coverage(
    view: CorpusView,
    knowledge: Knowledge,
    proposals: Sequence[Proposal],
    given: Sequence[Proposal],
    settings: QuerySettings,
) -> CorpusCoverage:
    """Count classes, facts and proposals, and say whether they allow a build; only classes of domain files count."""
    topics, documents = view.topics, len(view.corpus.numbering)
    with_class = int(np.count_nonzero(topics.with_topic(lambda topic: bool(topic.kind))))
    share = with_class / documents if documents else 0.0
    relations = view.facts.by_relation
    triggers = {trigger for relation in knowledge.relations.values() for trigger in relation.triggers}
    learned = {topic.text: size for topic, size in topics.sizes.items() if not topic.kind and topic.bare}
    hints = {hint: n for hint, n in view.hints.items() if hint not in triggers and n >= MIN_HINTS}
    sure = [proposal for proposal in [*proposals, *given] if proposal.status == "build"]
    suits = share >= settings.min_class_share and len(sure) >= MIN_SURE
    return CorpusCoverage(
        documents=documents,
        documents_with_class=with_class,
        class_share=round(share, 4),
        topics=len(topics.sizes),
        largest_topics=_ranked({topic.text: size for topic, size in topics.sizes.items()})[:20],
        documents_with_facts=view.facts.documents,
        facts_per_document=round(relations.total() / documents, 4) if documents else 0.0,
        facts_by_relation=_ranked(relations),
        learned_classes=_ranked(learned)[:20],
        learned_relations=_ranked(hints)[:20],
        proposals=len(proposals),
        proposals_by_relation=_ranked(Counter(p.relation for p in proposals)),
        given_queries_usable=sum(proposal.status == "build" for proposal in given),
        expected_examples=sum(proposal.examples_expected for proposal in sure),
        suits=suits,
        verdict=_verdict(share, suits, len(sure), settings),
    )


def _ranked(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _verdict(share: float, suits: bool, sure: int, settings: QuerySettings) -> str:
    if suits:
        return f"This corpus can be built from: {percent(share)} of its documents have a known class, and {sure} queries need no approval."
    if share < settings.min_class_share:
        return (
            f"This corpus cannot be built from without approval: only {percent(share)} of its documents have a known class "
            f"(at least {percent(settings.min_class_share)} is needed). Run `csuite propose`, accept or reword "
            "proposals in its file, and build with --approved."
        )
    return (
        "Documents have a known class, but there are too few attributes to tell them apart. Give base queries with --queries, or accept "
        "proposals by hand and build with --approved."
    )
