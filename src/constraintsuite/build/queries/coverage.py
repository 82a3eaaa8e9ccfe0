"""How well a corpus suits, said before anything is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.build.queries.records import Proposal
from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.reading.records import Fact
from constraintsuite.build.recipe import QuerySettings


@dataclass(frozen=True, slots=True)
class Coverage:
    """Figures about a corpus, and the verdict in words."""

    documents: int
    documents_with_class: int
    class_share: float
    topics: int
    largest_topics: tuple[tuple[str, int], ...]
    documents_with_facts: int
    facts_per_document: float
    facts_by_relation: tuple[tuple[str, int], ...]
    proposals: int
    proposals_by_relation: tuple[tuple[str, int], ...]
    given_queries_usable: int
    expected_examples: int
    suits: bool
    verdict: str


def measure_coverage(
    topics: TopicTable,
    facts: Mapping[str, Sequence[Fact]],
    documents: int,
    proposals: Sequence[Proposal],
    given: Sequence[Proposal],
    settings: QuerySettings,
) -> Coverage:
    """Count classes, facts and proposals, and say what they allow."""
    with_class = sum(bool(found) for found in topics.topics.values())
    share = with_class / documents if documents else 0.0
    relations = Counter(fact.relation for found in facts.values() for fact in found)
    sure = [proposal for proposal in given if proposal.status == "build"]
    expected = sum(proposal.examples_expected for proposal in [*proposals, *sure])
    suits = share >= settings.min_class_share and (len(proposals) >= 2 or bool(sure))
    return Coverage(
        documents=documents,
        documents_with_class=with_class,
        class_share=round(share, 4),
        topics=len(topics.members),
        largest_topics=tuple(
            sorted(((t.text, len(m)) for t, m in topics.members.items()), key=lambda x: (-x[1], x[0]))[:20]
        ),
        documents_with_facts=len(facts),
        facts_per_document=round(relations.total() / documents, 4) if documents else 0.0,
        facts_by_relation=tuple(sorted(relations.items(), key=lambda x: (-x[1], x[0]))),
        proposals=len(proposals),
        proposals_by_relation=tuple(
            sorted(Counter(p.relation for p in proposals).items(), key=lambda x: (-x[1], x[0]))
        ),
        given_queries_usable=len(sure),
        expected_examples=expected,
        suits=suits,
        verdict=_verdict(share, suits, len(proposals) + len(sure), settings),
    )


def _verdict(share: float, suits: bool, sure: int, settings: QuerySettings) -> str:
    if suits:
        return f"This corpus suits: {share:.0%} of the documents say what they are, and {sure} (topic, Y) can be asked as they stand."
    if share < settings.min_class_share:
        return (
            f"This corpus does not suit unattended building: only {share:.0%} of the documents say what they are "
            f"(at least {settings.min_class_share:.0%} is needed). Nothing is built unasked. Run `csuite propose`, accept or reword "
            "proposals in its file, and build with --approved."
        )
    return "Classes were found, but hardly anything that splits their documents. Give base queries with --queries, or run `csuite propose`."
