"""Questions about a value that has an order, such as a price or a year: documents below a border, and documents above it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, get_args

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.text import Document
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.records import Proposal, Topic, Wording
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.reading.document import read_values
from constraintsuite.suites.reading.records import ValuesRead
from constraintsuite.suites.reading.signs import has_class
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.sides.drafts import side_drafts
from constraintsuite.suites.sides.measures import LimitedMeasure, LimitWording, Position, ValueRange
from constraintsuite.suites.sides.questions import Side, SidesSurvey, TwoSidedQuestion, nearest
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms

LEAST_ON_EACH_SIDE = 3
MOST_LIMITS = 4
"""Limits that are asked for in one topic, those that divide it most evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited(Constraint):
    """A query for things whose value is below a limit, or above it; evidence is every place that states the value.

    Neither text may have the words of `forms`, such as the name of the thing whose value is the limit.
    """

    measure: str
    """What has the value, such as `price` or `released`."""
    position: Position
    limit: float
    """The limit itself is on neither side."""

    @property
    def side_words(self) -> tuple[str, str]:
        """What a value below the limit is called, and one above it."""
        return "under", "over"

    def verdict(self, found: Evidence) -> str:
        """On which side of the limit the value is: all that a document states is on the side of its role."""
        position = _positions(self).get(found.document)
        return found.value if position is None else f"{self.side_words[position == 'above']} {self.value}"


KnownValues = Mapping[int, ValueRange]
"""The values that documents state, by their numbers."""


@dataclass(frozen=True, slots=True)
class Border:
    """A value that documents are below or above, and how a query asks for its sides."""

    constraint: Limited
    """What asks for the documents below it."""
    words: str
    """The words of a query for it, such as "30 minutes"."""
    relation: str
    wordings: tuple[LimitWording, ...]
    name: str = ""
    """The name in these words; a name is asked for in one split only."""
    document: int = 0
    """The document that the name belongs to."""


class Borders(Protocol):
    """The borders that a corpus gives."""

    @property
    def shortage(self) -> tuple[str, str]:
        """The reason why nothing is asked where there is no border, and what would help."""

    def choose(self, measure: LimitedMeasure, topic: Topic, values: KnownValues) -> Sequence[Border]:
        """The borders that are asked for in a topic, from the values of its documents."""


@dataclass(frozen=True)
class LimitBuilder:
    """Makes examples of a constraint type with limits, from what is read in texts and a file of measures."""

    borders: Callable[[CorpusView, Mapping[str, KnownValues]], Borders]
    """Finds what documents are compared with, from their values by measure."""
    measures: Callable[[], Sequence[LimitedMeasure]]
    balanced: Mapping[str, str] = field(default_factory=dict)

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> SidesSurvey:
        """Find the measures whose values are known in enough documents on both sides of a border."""
        values: dict[str, dict[int, ValueRange]] = defaultdict(dict)
        for number, document, row in view.corpus.passages():
            kinds = {topic.kind for topic in view.topics.topics_of(number)}
            measures = [measure for kind in sorted(kinds) for measure in self._measures_of(kind)]
            if not measures:
                continue
            reading = row.parse(ValuesRead)
            if not has_class(reading.classes):
                continue
            text = document.parse(Document).text
            for measure in measures:
                value = measure.read(reading, text)
                if value is not None:
                    values[measure.key][number] = value
        considered: list[ConsideredAttribute] = []
        borders = self.borders(view, values)
        questions = [
            question
            for measure in (self.measures() if recipe.queries.mine else ())
            for question in self._ask(measure, values[measure.key], borders, view.topics, considered)
        ]
        return SidesSurvey(questions, view.topics, view.corpus.numbering, considered)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts on both sides of a border, near it."""
        return side_drafts(proposals, job, rejects, lambda constraint: _positions(constraint)[SATISFYING])

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every place that states the value."""
        measure = self.measure_of(constraint)
        found = measure.find(read_values(analysis, knowledge), analysis.text)
        return tuple(Evidence(role, one.start, one.end, one.text, measure.key) for one in found)

    def find_fault(self, pair: CheckedPair) -> str | None:
        """The value of the satisfying text must be on the side that is asked for, that of the violating one on the other."""
        knowledge = load_knowledge()
        constraint = pair.proposal.constraint
        wanted = _positions(constraint)
        for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
            if self.position(constraint, document.analysis, knowledge) != wanted[role]:
                return f"{role}_value_unclear"
            if _names_border(constraint, document.title, document.text):
                return f"{role}_names_border"
        return None

    def obeys(self, constraint: Constraint, document: CheckedDocument) -> bool | None:
        """Whether the value is on the side that is asked for."""
        found = self.position(constraint, document.analysis, load_knowledge())
        return None if found is None else found == _positions(constraint)[SATISFYING]

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With every place that states the value."""
        return replace(constraint, evidence=tuple(one for document in documents.values() for one in document.evidence))

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """The measure, and the side that is asked for."""
        assert isinstance(constraint, Limited)
        return {"measure": constraint.measure, "position": constraint.position}

    def position(self, constraint: Constraint, analysis: Analysis, knowledge: Knowledge) -> Position | None:
        """On which side of the limit a text says that the value is; None if that is not clear."""
        assert isinstance(constraint, Limited)
        value = self.measure_of(constraint).read(read_values(analysis, knowledge), analysis.text)
        return None if value is None else value.position(constraint.limit)

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read both texts again with the analyser that made the suite; labels that people gave are not checked."""
        knowledge = load_knowledge()
        for example in examples:
            if example.analyser not in ANALYSERS.names() or example.control is not None or example.constraint is None:
                continue
            texts = (example.satisfying.text, example.violating.text)
            wanted = _positions(example.constraint)
            for role, analysis in zip(wanted, get_analyser(example.analyser).analyse(texts), strict=True):
                document = example.document(role)
                if self.position(example.constraint, analysis, knowledge) != wanted[role]:
                    yield f"{example.id}: the value of the {role} document is not {wanted[role]} the limit"
                if _names_border(example.constraint, document.title, document.text):
                    yield f"{example.id}: the {role} document names what it is compared with"

    def measure_of(self, constraint: Constraint) -> LimitedMeasure:
        """The measure that a constraint limits, such as the price of a night."""
        assert isinstance(constraint, Limited)
        return next(measure for measure in self.measures() if measure.key == constraint.measure)

    def wordings_of(self, constraint: Constraint | None, topic: str) -> tuple[Wording, ...]:
        """Every way to ask for what a constraint asks for."""
        assert isinstance(constraint, Limited)
        measure = self.measure_of(constraint)
        return ask_for_side(measure.wordings, measure.key, topic, constraint.value, constraint.position)

    def _measures_of(self, kind: str) -> list[LimitedMeasure]:
        """The measures of things of a kind: those that name it, and those of all kinds."""
        return [one for one in self.measures() if kind in one.of or not one.of]

    def _ask(
        self,
        measure: LimitedMeasure,
        values: KnownValues,
        borders: Borders,
        topics: TopicTable,
        considered: list[ConsideredAttribute],
    ) -> Iterator[TwoSidedQuestion]:
        """Questions about one measure in all topics that fit."""
        members: dict[Topic, dict[int, ValueRange]] = defaultdict(dict)
        for document, value in values.items():
            for topic in topics.topics_of(document):
                if measure.fits(topic):
                    members[topic][document] = value
        for topic in sorted(members, key=lambda topic: topic.text):
            found = borders.choose(measure, topic, members[topic])
            what, count = measure.key.replace("_", " "), len(members[topic])
            considered.append(
                ConsideredAttribute(topic.text, what, count, 0, "proposed", "", "", deniable=False)
                if found
                else ConsideredAttribute(topic.text, what, count, 0, "dropped", *borders.shortage, deniable=False)
            )
            for border in found:
                sides = _sides(border, topic, members[topic])
                yield TwoSidedQuestion(topic, border.relation, sides, border.name, border.document)


def _sides(border: Border, topic: Topic, values: KnownValues) -> tuple[Side, Side]:
    limit = border.constraint.limit
    below = [(limit - one.high, document) for document, one in values.items() if one.position(limit) == "below"]
    above = [(one.low - limit, document) for document, one in values.items() if one.position(limit) == "above"]
    low, high = (
        ask_for_side(border.wordings, border.relation, topic.text, border.words, side) for side in get_args(Position)
    )
    return (
        Side(replace(border.constraint, cue=low[0].cue), low, nearest(below)),
        Side(replace(border.constraint, position="above", cue=high[0].cue), high, nearest(above)),
    )


def ask_for_side(
    wordings: Iterable[LimitWording], relation: str, topic: str, words: str, position: Position
) -> tuple[Wording, ...]:
    """Every way to ask for what is on one side of a limit, which `words` state; the opposite asks for the other side."""
    found = []
    for one in wordings:
        below, above = (text.format(topic=topic, n=words) for text in (one.below, one.above))
        query, opposite = (below, above) if position == "below" else (above, below)
        name = f"{one.name}_{position.upper()}"
        found.append(Wording(query, opposite, name, f"{relation}.{name}", one.cues[position == "above"]))
    return tuple(found)


@dataclass(frozen=True)
class RoundLimits:
    """Borders that are round numbers of a file."""

    make: Callable[[LimitedMeasure, float, str], Limited]
    """What asks for values below a limit, from the limit as a number and in words."""
    shortage: tuple[str, str] = (
        "one_side",
        f"no round limit has {LEAST_ON_EACH_SIDE} texts on each side. Add texts with other values, or limits to its measure.",
    )

    def choose(self, measure: LimitedMeasure, topic: Topic, values: KnownValues) -> Sequence[Border]:
        """The limits that divide the values most evenly."""
        found = [(limit, measure.write(limit)) for limit in choose_limits(values.values(), measure.limits)]
        return [
            Border(self.make(measure, limit, words), words, measure.key, measure.wordings) for limit, words in found
        ]


def choose_limits(values: Iterable[ValueRange], limits: Iterable[float]) -> list[float]:
    """The limits that divide the values most evenly, in order."""
    known = list(values)
    counts = {}
    for limit in limits:
        positions = [value.position(limit) for value in known]
        smaller = min(positions.count("below"), positions.count("above"))
        if smaller >= LEAST_ON_EACH_SIDE:
            counts[limit] = smaller
    return sorted(sorted(counts, key=lambda limit: (-counts[limit], limit))[:MOST_LIMITS])


def _positions(constraint: Constraint) -> dict[str, Position]:
    assert isinstance(constraint, Limited)
    other: Position = "above" if constraint.position == "below" else "below"
    return {SATISFYING: constraint.position, VIOLATING: other}


def _names_border(constraint: Constraint, title: str, text: str) -> bool:
    return bool(find_forms(f"{title}\n{text}", constraint.forms))
