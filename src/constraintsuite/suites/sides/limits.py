"""Questions about a value that has an order, such as a price or a year: documents below a limit, and documents above it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal, NamedTuple

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.strict_model import StrictModel
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
from constraintsuite.suites.sides.questions import Side, SidesSurvey, TwoSidedQuestion, nearest
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser

Position = Literal["below", "above"]
"""On which side of the limit a value is."""
LEAST_ON_EACH_SIDE = 3
MOST_LIMITS = 4
"""Limits that are asked for in one topic, those that divide it most evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited(Constraint):
    """A query for things whose value is below a limit, or above it; evidence is every place that states the value."""

    measure: str
    """What has the value, such as `price` or `released`."""
    position: Position
    limit: float
    """The limit itself is on neither side."""


class ValueRange(NamedTuple):
    """All values that a text may mean."""

    low: float = -inf
    high: float = inf

    def position(self, limit: float) -> Position | None:
        """On which side of a limit all of it is; None if on neither."""
        return "below" if self.high < limit else "above" if self.low > limit else None


class StatedValue(NamedTuple):
    """A place of a text that states a value."""

    start: int
    end: int
    range: ValueRange
    text: str
    """The value in one form for all texts, such as "25 minute"."""


class LimitWording(StrictModel):
    """One way to ask for what is below a limit `{n}`, and for what is above it."""

    name: str
    below: str
    above: str
    cues: tuple[str, str]
    """The words that state each side, such as `under` and `over`."""


class LimitedMeasure(StrictModel):
    """Something with an order that texts say of things of some kinds, and how people ask for it."""

    key: str
    of: tuple[str, ...] = ()
    """Kinds of classes in the domain files; if empty, all."""
    limits: tuple[float, ...]
    """Round numbers that people use."""
    wordings: tuple[LimitWording, ...]


FindValues = Callable[[LimitedMeasure, ValuesRead, str], Iterator[StatedValue]]
"""The places of a text that state the value of a measure, from what was read of it."""


@dataclass(frozen=True)
class LimitBuilder:
    """Makes examples of a constraint type with limits, from what is read in texts and a file of measures."""

    make: Callable[[LimitedMeasure, float, Position, str], Limited]
    """The constraint for a measure, a limit, one of its sides, and the words of the query that state it."""
    write: Callable[[LimitedMeasure, float], str]
    """A limit in words, such as "30 minutes"."""
    find: FindValues
    measures: Callable[[], Sequence[LimitedMeasure]]
    fits: Callable[[Topic], bool] = lambda topic: True
    """Whether a topic may be narrowed by a limit: "1950s films" already says when."""
    balanced: Mapping[str, str] = field(default_factory=dict)

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> SidesSurvey:
        """Find the measures whose values are known in enough documents on both sides of a round limit."""
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
                value = self._value(measure, reading, text)
                if value is not None:
                    values[measure.key][number] = value
        considered: list[ConsideredAttribute] = []
        questions = [
            question
            for measure in (self.measures() if recipe.queries.mine else ())
            for question in self._ask(measure, values[measure.key], view.topics, considered)
        ]
        return SidesSurvey(questions, view.topics, view.corpus.numbering, considered)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts on both sides of a limit, near it."""
        return side_drafts(proposals, job, rejects, lambda constraint: _positions(constraint)[SATISFYING])

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every place that states the value."""
        measure = self._measure(constraint)
        found = self.find(measure, read_values(analysis, knowledge), analysis.text)
        return tuple(Evidence(role, one.start, one.end, one.text, measure.key) for one in found)

    def find_fault(self, pair: CheckedPair) -> str | None:
        """The value of the satisfying text must be on the side that is asked for, that of the violating one on the other."""
        knowledge = load_knowledge()
        constraint = pair.proposal.constraint
        wanted = _positions(constraint)
        for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
            if self.position(constraint, document.analysis, knowledge) != wanted[role]:
                return f"{role}_value_unclear"
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
        value = self._value(self._measure(constraint), read_values(analysis, knowledge), analysis.text)
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
                if self.position(example.constraint, analysis, knowledge) != wanted[role]:
                    yield f"{example.id}: the value of the {role} document is not {wanted[role]} the limit"

    def _measure(self, constraint: Constraint) -> LimitedMeasure:
        assert isinstance(constraint, Limited)
        return next(measure for measure in self.measures() if measure.key == constraint.measure)

    def _measures_of(self, kind: str) -> list[LimitedMeasure]:
        """The measures of things of a kind: those that name it, and those of all kinds."""
        return [one for one in self.measures() if kind in one.of or not one.of]

    def _value(self, measure: LimitedMeasure, reading: ValuesRead, text: str) -> ValueRange | None:
        """The value that a document states, if it states one value only, and neither denies it nor doubts it."""
        found = list(self.find(measure, reading, text))
        ranges = {one.range for one in found}
        doubted = any(one.start < scope.end and scope.start < one.end for one in found for scope in reading.scopes)
        return ranges.pop() if len(ranges) == 1 and not doubted else None

    def _ask(
        self,
        measure: LimitedMeasure,
        values: Mapping[int, ValueRange],
        topics: TopicTable,
        considered: list[ConsideredAttribute],
    ) -> Iterator[TwoSidedQuestion]:
        """Questions about one measure in all topics that fit."""
        members: dict[Topic, dict[int, ValueRange]] = defaultdict(dict)
        for document, value in values.items():
            for topic in topics.topics_of(document):
                if self.fits(topic):
                    members[topic][document] = value
        for topic in sorted(members, key=lambda topic: topic.text):
            limits = choose_limits(members[topic].values(), measure.limits)
            what, count = measure.key.replace("_", " "), len(members[topic])
            considered.append(
                ConsideredAttribute(topic.text, what, count, 0, "proposed", "", "", deniable=False)
                if limits
                else ConsideredAttribute(topic.text, what, count, 0, "dropped", "one_side", ONE_SIDE, deniable=False)
            )
            for limit in limits:
                yield TwoSidedQuestion(topic, measure.key, self._sides(measure, topic, limit, members[topic]))

    def _sides(
        self, measure: LimitedMeasure, topic: Topic, limit: float, values: Mapping[int, ValueRange]
    ) -> tuple[Side, Side]:
        written = self.write(measure, limit)
        below = [(limit - one.high, document) for document, one in values.items() if one.position(limit) == "below"]
        above = [(one.low - limit, document) for document, one in values.items() if one.position(limit) == "above"]
        low: list[Wording] = []
        high: list[Wording] = []
        for one in measure.wordings:
            asked = [text.format(topic=topic.text, n=written) for text in (one.below, one.above)]
            names = [f"{one.name}_BELOW", f"{one.name}_ABOVE"]
            low.append(Wording(asked[0], asked[1], names[0], f"{measure.key}.{names[0]}", one.cues[0]))
            high.append(Wording(asked[1], asked[0], names[1], f"{measure.key}.{names[1]}", one.cues[1]))
        return (
            Side(self.make(measure, limit, "below", low[0].cue), tuple(low), nearest(below)),
            Side(self.make(measure, limit, "above", high[0].cue), tuple(high), nearest(above)),
        )


ONE_SIDE = f"no round limit has {LEAST_ON_EACH_SIDE} texts on each side. Add texts with other values, or limits to its measure."


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
