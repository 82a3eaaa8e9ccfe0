"""Queries with what is known of documents: which answer them, and which break what they ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from constraintsuite.corpora.base import REASONS, BadRows, Reason
from constraintsuite.corpora.judged import read_qrels
from constraintsuite.errors import UserError
from constraintsuite.records.text import Qrel


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and its judgments."""

    id: str
    text: str
    grades: Mapping[str, int]
    """Of documents; from 1 on a document is relevant."""
    violating: frozenset[str] = frozenset()
    """Documents that break what the query asks."""
    links: frozenset[str] = frozenset()
    """Queries that share one of these names are not independent."""

    @property
    def relevant(self) -> frozenset[str]:
        """Documents that answer the query."""
        return frozenset(document for document, grade in self.grades.items() if grade > 0)


class Judgments(NamedTuple):
    """Judged queries, and what a reader of figures should know of them."""

    queries: list[JudgedQuery]
    notes: tuple[str, ...]


class Agreed(NamedTuple):
    """Judgments without those that contradict each other, and how many documents were dropped."""

    grades: dict[str, int]
    violating: frozenset[str]
    dropped: int


def agree(grades: Mapping[str, int], violating: Collection[str]) -> Agreed:
    """A document that answers a query and violates it too says nothing: it is dropped from both."""
    both = {document for document in violating if grades.get(document, 0) > 0}
    return Agreed({d: grade for d, grade in grades.items() if d not in both}, frozenset(violating) - both, len(both))


def note_dropped(count: int) -> tuple[str, ...]:
    """What is said of documents that were dropped; nothing, where there are none."""
    return (f"{count:,} documents both answer a query and violate it, and count as neither.",) if count else ()


def judge_queries(texts: Mapping[str, str], qrels: Iterable[Qrel], violations: Iterable[Qrel]) -> Judgments:
    """The queries that are judged, in the order of `texts`."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in qrels:
        if grades[qrel.query].setdefault(qrel.document, qrel.grade) != qrel.grade:
            raise UserError(f"The document {qrel.document!r} has two different grades for the query {qrel.query!r}.")
    violating: dict[str, set[str]] = defaultdict(set)
    for qrel in violations:
        violating[qrel.query].add(qrel.document)
    judged, dropped = [], 0
    for query, text in texts.items():
        agreed = agree(grades.get(query, {}), violating.get(query, ()))
        dropped += agreed.dropped
        if agreed.grades or agreed.violating:
            one = JudgedQuery(query, text, agreed.grades, agreed.violating)
            judged.append(replace(one, links=one.relevant | one.violating))
    return Judgments(judged, note_dropped(dropped))


def read_judged(qrels: Path, violations: Path | None) -> Judgments:
    """The queries of a file of judgments and one of violating documents, whose grades mean nothing; their texts are not known."""
    judged = list(read_qrels(qrels, Refusing()))
    violating = list(read_qrels(violations, Refusing())) if violations else []
    if not judged:
        raise UserError(f"{qrels}: holds no judgment.")
    return judge_queries({qrel.query: "" for qrel in [*judged, *violating]}, judged, violating)


class Refusing(BadRows):
    """Lets no broken row pass, where there is no option to skip them."""

    def add(self, where: str, reason: Reason, row: str) -> None:
        """A UserError."""
        raise UserError(f"{where}: this row cannot be used: {REASONS[reason]}. Correct it.")
