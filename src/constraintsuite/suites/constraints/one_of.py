"""The constraint type `one_of`: a thing has one of two values of a closed list ("Italian or French films"), or neither."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Literal

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.audit.solvers import Solver, prefer_lower
from constraintsuite.suites.domain import Knowledge, Relation, load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.records import Proposal, Topic, Wording
from constraintsuite.suites.queries.relations import fits, y_words
from constraintsuite.suites.queries.topics import TopicTable, plural_of_value
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.reading.classes import read_classes
from constraintsuite.suites.reading.facts import read_facts
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.sides.drafts import side_drafts
from constraintsuite.suites.sides.questions import Side, SidesSurvey, TwoSidedQuestion, nearest
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms

Listing = Literal["listed", "others"]
LEAST_OF_EACH_VALUE = 2
LEAST_OTHERS = 4
LEAST_SHARE = 0.25
"""Share of a topic's documents that must have one of the two values: nobody asks for all but a few."""
MOST_PAIRS_OF_VALUES = 3
"""Pairs of values that are asked for in one topic, those that divide it most evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf(Constraint):
    """A query for things with one of several values, or with none of them; evidence is every value that a text states."""

    type: Literal["one_of"] = "one_of"
    relation: str
    values: tuple[str, ...]
    listing: Listing
    """Whether the query asks for the values that are listed, or for the others."""

    def verdict(self, found: Evidence) -> str:
        """Whether the value is listed."""
        return self.value if found.value in self.values else f"neither {' nor '.join(self.values)}"


class OneOfWording(StrictModel):
    """One way to ask for two values, and for neither."""

    name: str
    listed: str
    others: str
    cues: tuple[str, str]


@cache
def _wordings() -> dict[str, tuple[OneOfWording, ...]]:
    return read_package_yaml(dict[str, tuple[OneOfWording, ...]], "constraintsuite.suites.constraints", "one_of.yaml")


@dataclass(frozen=True)
class OneOfBuilder:
    """Makes examples from the values of closed relations, such as nationality and genre."""

    balanced: Mapping[str, str]

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> SidesSurvey:
        """Find pairs of values that enough documents of a topic have, while enough others have neither."""
        considered: list[ConsideredAttribute] = []
        gathered = view.facts.gather() if recipe.queries.mine else {}
        questions: list[TwoSidedQuestion] = []
        for key, found in gathered.items():
            if key in _wordings():
                values: dict[int, set[str]] = defaultdict(set)
                for y, documents in found.documents.items():
                    for number in documents.tolist():
                        values[number].add(y)
                single = {number: next(iter(ys)) for number, ys in values.items() if len(ys) == 1}
                questions += self._ask(found.relation, single, view.topics, considered)
        return SidesSurvey(questions, view.topics, view.corpus.numbering, considered)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts, one with a listed value and one with another."""
        return side_drafts(proposals, job, rejects, lambda constraint: _listings(constraint)[SATISFYING])

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every value that the text states of its subject."""
        assert isinstance(constraint, OneOf)
        facts = read_facts(analysis, read_classes(analysis, knowledge), title, knowledge)
        return tuple(
            Evidence(role, fact.start, fact.end, fact.y, constraint.relation)
            for fact in facts
            if fact.relation == constraint.relation
        )

    def find_fault(self, pair: CheckedPair) -> str | None:
        """One text must state one of the values, the other another value; no word of the others may point to a listed one."""
        constraint = pair.proposal.constraint
        wanted = _listings(constraint)
        for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
            if self.listing(constraint, document.evidence, f"{document.title}\n{document.text}") != wanted[role]:
                return f"{role}_value_unclear"
        return None

    def listing(self, constraint: Constraint, evidence: Sequence[Evidence], text: str) -> Listing | None:
        """Whether a text states a listed value or another; None if that is not clear."""
        assert isinstance(constraint, OneOf)
        stated = {one.value for one in evidence}
        if len(stated) != 1:
            return None
        if stated <= set(constraint.values):
            return "listed"
        return None if find_forms(text, (*constraint.forms, *constraint.kinds)) else "others"

    def obeys(self, constraint: Constraint, document: CheckedDocument) -> bool | None:
        """Whether the text states a value that is asked for."""
        found = self.listing(constraint, document.evidence, f"{document.title}\n{document.text}")
        return None if found is None else found == _listings(constraint)[SATISFYING]

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With every value that the texts state."""
        return replace(constraint, evidence=tuple(one for document in documents.values() for one in document.evidence))

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """Whether listed values are asked for, or the others."""
        assert isinstance(constraint, OneOf)
        return {"listing": constraint.listing}

    def _ask(
        self,
        relation: Relation,
        values: Mapping[int, str],
        topics: TopicTable,
        considered: list[ConsideredAttribute],
    ) -> Iterator[TwoSidedQuestion]:
        members: dict[Topic, dict[int, str]] = defaultdict(dict)
        for number, y in values.items():
            for topic in topics.topics_of(number):
                if fits(topic, _without_needs(relation)):
                    members[topic][number] = y
        for topic in sorted(members, key=lambda topic: topic.text):
            own = members[topic]
            pairs = choose_pairs(Counter(own.values()))
            what = f"one of several: {relation.key.replace('_', ' ')}"
            considered.append(
                ConsideredAttribute(topic.text, what, len(own), 0, "proposed", "", "", deniable=False)
                if pairs
                else ConsideredAttribute(
                    topic.text, what, len(own), 0, "dropped", "few_values", FEW_VALUES, deniable=False
                )
            )
            for pair in pairs:
                yield TwoSidedQuestion(topic, f"{relation.key}_one_of", _sides(relation, topic, pair, own))

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the values of both texts again with the analyser that made the suite."""
        knowledge = load_knowledge()
        for example in examples:
            constraint = example.constraint
            if example.analyser not in ANALYSERS.names() or example.control is not None or constraint is None:
                continue
            wanted = _listings(constraint)
            documents = [example.document(role) for role in wanted]
            analyses = get_analyser(example.analyser).analyse([document.text for document in documents])
            for document, analysis in zip(documents, analyses, strict=True):
                evidence = self.read(constraint, document.role, analysis, document.title, knowledge)
                found = self.listing(constraint, evidence, f"{document.title}\n{document.text}")
                if found != wanted[document.role]:
                    yield f"{example.id}: the {document.role} document does not state the value that its role needs"


FEW_VALUES = f"two values with {LEAST_OF_EACH_VALUE} texts each and {LEAST_OTHERS} texts with other values are needed. Add such texts."


def _without_needs(relation: Relation) -> Relation:
    """The relation without the parts that a topic must have for one value to be left out: two values matter by themselves."""
    return relation.model_copy(update={"needs": (), "beside": ()})


def choose_pairs(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Pairs of values, those first that together divide the documents most evenly."""
    total = sum(counts.values())
    found = {}
    for a, b in combinations(sorted(y for y, n in counts.items() if n >= LEAST_OF_EACH_VALUE), 2):
        listed = counts[a] + counts[b]
        if total - listed >= LEAST_OTHERS and listed >= LEAST_SHARE * total:
            found[a, b] = min(listed, total - listed)
    return sorted(found, key=lambda pair: (-found[pair], pair))[:MOST_PAIRS_OF_VALUES]


def ask_for_side(relation: Relation, topic: str, pair: Sequence[str], listing: Listing) -> tuple[Wording, ...]:
    """Every way to ask for two values, or for the others; the opposite asks for the other side."""
    slots = value_slots(relation, pair)
    found = []
    for one in _wordings()[relation.key]:
        listed, others = (text.format(topic=topic, **slots) for text in (one.listed, one.others))
        query, opposite = (listed, others) if listing == "listed" else (others, listed)
        name = f"{one.name}_{listing.upper()}"
        found.append(Wording(query, opposite, name, f"{relation.key}.one_of.{name}", one.cues[listing == "others"]))
    return tuple(found)


def value_slots(relation: Relation, pair: Sequence[str]) -> dict[str, str]:
    """The two values, and the plural nouns for them, as `one_of.yaml` names them."""
    a, b = pair
    return {"a": a, "b": b, "as": plural_of_value(relation, a), "bs": plural_of_value(relation, b)}


def _sides(relation: Relation, topic: Topic, pair: tuple[str, str], values: Mapping[int, str]) -> tuple[Side, Side]:
    listed = [(0.0, number) for number, y in values.items() if y in pair]
    others = [(0.0, number) for number, y in values.items() if y not in pair]
    words = [y_words(relation, y) for y in pair]

    def side(listing: Listing, documents: Sequence[tuple[float, int]]) -> Side:
        wordings = ask_for_side(relation, topic.text, pair, listing)
        constraint = OneOf(
            value=" or ".join(pair),
            cue=wordings[0].cue,
            forms=tuple(dict.fromkeys(form for one in words for form in one.forms)),
            kinds=tuple(dict.fromkeys(word for one in words for word in one.blocked)),
            relation=relation.key,
            values=pair,
            listing=listing,
        )
        return Side(constraint, wordings, nearest(documents))

    return side("listed", listed), side("others", others)


def _listings(constraint: Constraint) -> dict[str, Listing]:
    assert isinstance(constraint, OneOf)
    other: Listing = "others" if constraint.listing == "listed" else "listed"
    return {SATISFYING: constraint.listing, VIOLATING: other}


def _count_listed(example: Example, role: str) -> int:
    constraint = example.constraint
    return len(find_forms(example.document(role).text, constraint.forms)) if constraint else 0


_SOLVERS = (
    Solver("fewer_listed", "the text with fewer of the values that the query names", prefer_lower(_count_listed)),
)
_MATCHING = "only the text with a listed value has its words, and both queries have them; so word matching is right for one of the two"


@dataclass(frozen=True, slots=True)
class OneOfType:
    """How lists of values are checked and audited."""

    record: type[Constraint] = OneOf
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """Both queries name the values, and only one text does."""
        names = ("fewer_listed", "bm25_query", "bm25_opposite", "overlap", "own_query_words")
        return _MATCHING if solver in names else ""

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the values of both texts again."""
        return BUILDER.faults(examples)


ONE_OF = OneOfType()
BUILDER = OneOfBuilder({"shorter": "unbalanced_length", "fewer_listed": "unbalanced_values"})
