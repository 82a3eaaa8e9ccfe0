"""The constraint type `place`: something is inside a country or region, or outside of it ("museums in Scotland")."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.audit.solvers import Solver, prefer_lower
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.considered import ConsideredAttribute
from constraintsuite.suites.queries.records import Proposal, Topic, Wording
from constraintsuite.suites.queries.topics import TopicTable
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.reading.records import ValuesRead
from constraintsuite.suites.reading.signs import has_class
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.sides.drafts import side_drafts
from constraintsuite.suites.sides.questions import Side, SidesSurvey, TwoSidedQuestion, nearest
from constraintsuite.text.base import Analysis
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.places.containment import contains
from constraintsuite.text.places.place import Place
from constraintsuite.text.places.reader import read_places

Location = Literal["inside", "outside"]
LEAST_ON_EACH_SIDE = 3
LEAST_SHARE = 0.2
"""Share of a topic's located documents that must be inside: nobody asks for all but a few directors."""
MOST_PLACES = 5
"""Places that are asked for in one topic, those that divide it most evenly."""
_ARTICLES = ("United ", "Netherlands", "Czech Republic", "Dominican ", "Philippines", "Bahamas", "Soviet ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Located(Constraint):
    """A query for things inside a place or outside of it; evidence is every place that a text says its subject is in."""

    type: Literal["place"] = "place"
    relation: str
    """What is there: `located`, `birthplace` or `setting`."""
    level: str
    country: str
    location: Location

    def verdict(self, found: Evidence) -> str:
        """Whether it is inside: all places of a document are on the side of its role."""
        location = _locations(self).get(found.document)
        return (
            found.value
            if location is None
            else f"{'in' if location == 'inside' else 'outside'} {with_article(self.value)}"
        )

    @property
    def place(self) -> Place:
        """The place that the query names."""
        return Place(0, 0, self.value, self.level, self.country)


class PlaceWording(StrictModel):
    """One way to ask for what is inside a place `{p}`, and for what is outside."""

    name: str
    inside: str
    outside: str
    cues: tuple[str, str]


class PlaceMeasure(StrictModel):
    """A relation to a place that things of some kinds have, and how people ask for it."""

    key: str
    of: tuple[str, ...]
    relations: tuple[str, ...]
    levels: tuple[str, ...] = ("country", "region")
    """The places that are asked about."""
    wordings: tuple[PlaceWording, ...]


@cache
def place_measures() -> dict[str, PlaceMeasure]:
    """The relations of `place.yaml`, by their keys."""
    found = read_package_yaml(tuple[PlaceMeasure, ...], "constraintsuite.suites.constraints", "place.yaml")
    return {measure.key: measure for measure in found}


def find_places(measure: PlaceMeasure, places: Iterable[Place]) -> list[Place]:
    """The smallest places that have the relation: of "in Leith, Edinburgh" only Leith."""
    related = [one for one in places if one.relation in measure.relations and not one.negated]
    return [one for one in related if not any(_is_larger(one, other) for other in related)]


def _is_larger(outer: Place, inner: Place) -> bool:
    return (outer.name, outer.country) != (inner.name, inner.country) and contains(outer, inner) is True


def locate(asked: Place, measure: PlaceMeasure, places: Sequence[Place]) -> Location | None:
    """Whether a text says that its subject is inside a place; None if that is not clear.

    Outside of it, no place of the text at all may be inside it: who reads quickly could take it for the one that counts.
    """
    found = find_places(measure, places)
    inside = {contains(asked, one) for one in found}
    if inside == {True}:
        return "inside"
    if inside != {False} or any(contains(one, asked) is not False for one in found):
        return None
    return "outside" if all(contains(asked, one) is False for one in places) else None


@dataclass(frozen=True)
class PlaceBuilder:
    """Makes examples from where things are."""

    balanced: Mapping[str, str]

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> SidesSurvey:
        """Find countries and regions that have enough documents of a topic inside and outside."""
        read: dict[str, dict[int, tuple[Place, ...]]] = defaultdict(dict)
        for number, _, row in view.corpus.passages() if recipe.queries.mine else ():
            kinds = {topic.kind for topic in view.topics.topics_of(number)}
            measures = [one for one in place_measures().values() if kinds & set(one.of)]
            reading = row.parse(ValuesRead) if measures else None
            places = reading.places if reading is not None and has_class(reading.classes) else ()
            for measure in measures:
                if find_places(measure, places):
                    read[measure.key][number] = places
        considered: list[ConsideredAttribute] = []
        questions = [
            question
            for key, documents in sorted(read.items())
            for question in self._ask(place_measures()[key], documents, view.topics, considered)
        ]
        return SidesSurvey(questions, view.topics, view.corpus.numbering, considered)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts, one inside the place and one outside."""
        return side_drafts(proposals, job, rejects, lambda constraint: _locations(constraint)[SATISFYING])

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every place that has the relation."""
        assert isinstance(constraint, Located)
        found = find_places(place_measures()[constraint.relation], read_places(analysis.text))
        return tuple(Evidence(role, one.start, one.end, one.name, one.relation) for one in found)

    def find_fault(self, pair: CheckedPair) -> str | None:
        """One text must say that its subject is inside the place, the other that it is in another place."""
        constraint = pair.proposal.constraint
        wanted = _locations(constraint)
        for role, document in ((SATISFYING, pair.satisfying), (VIOLATING, pair.violating)):
            if self.locate(constraint, document.title, document.text) != wanted[role]:
                return f"{role}_place_unclear"
        return None

    def locate(self, constraint: Constraint, title: str, text: str) -> Location | None:
        """Where a text says that its subject is; a title that names the place of an outside text makes it unclear."""
        assert isinstance(constraint, Located)
        found = locate(constraint.place, place_measures()[constraint.relation], read_places(text))
        return None if found == "outside" and find_forms(title, constraint.forms) else found

    def obeys(self, constraint: Constraint, document: CheckedDocument) -> bool | None:
        """Whether the text says that its subject is where it is asked for."""
        found = self.locate(constraint, document.title, document.text)
        return None if found is None else found == _locations(constraint)[SATISFYING]

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With every place that the texts say their subjects are in."""
        return replace(constraint, evidence=tuple(one for document in documents.values() for one in document.evidence))

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """Whether inside or outside is asked for."""
        return {"location": _locations(constraint)[SATISFYING]}

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the places of both texts again; labels that people gave are not checked."""
        for example in examples:
            if example.constraint is None or example.control is not None or not example.analyser:
                continue
            for role, wanted in _locations(example.constraint).items():
                document = example.document(role)
                if self.locate(example.constraint, document.title, document.text) != wanted:
                    yield f"{example.id}: the {role} document does not say that it is {wanted} the place"

    def _ask(
        self,
        measure: PlaceMeasure,
        documents: Mapping[int, tuple[Place, ...]],
        topics: TopicTable,
        considered: list[ConsideredAttribute],
    ) -> Iterator[TwoSidedQuestion]:
        members: dict[Topic, list[int]] = defaultdict(list)
        for number in documents:
            for topic in topics.topics_of(number):
                if topic.kind in measure.of and not topic.nationality:
                    members[topic].append(number)
        for topic in sorted(members, key=lambda topic: topic.text):
            own = {number: documents[number] for number in members[topic]}
            found = choose_places(measure, own)
            what = measure.key
            considered.append(
                ConsideredAttribute(topic.text, what, len(own), 0, "proposed", "", "", deniable=False)
                if found
                else ConsideredAttribute(topic.text, what, len(own), 0, "dropped", "one_side", ONE_SIDE, deniable=False)
            )
            for place, sides in found:
                yield TwoSidedQuestion(topic, measure.key, _sides(measure, topic, place, sides))


ONE_SIDE = (
    f"no country or region has {LEAST_ON_EACH_SIDE} texts inside, which are {LEAST_SHARE:.0%} of all, and "
    f"{LEAST_ON_EACH_SIDE} outside. Add such texts."
)

SidesOfPlace = Mapping[Location, Sequence[int]]
"""The documents inside a place and those outside."""


def choose_places(measure: PlaceMeasure, documents: Mapping[int, Sequence[Place]]) -> list[tuple[Place, SidesOfPlace]]:
    """The countries and regions that divide the documents most evenly, with the documents on each side."""
    named = {
        (one.name, one.country): one
        for places in documents.values()
        for one in places
        if one.level in measure.levels and one.relation in measure.relations
    }
    found = []
    for key in sorted(named):
        sides: dict[Location, list[int]] = {"inside": [], "outside": []}
        for number, places in documents.items():
            side = locate(named[key], measure, places)
            if side is not None:
                sides[side].append(number)
        smaller = min(map(len, sides.values()))
        if smaller >= LEAST_ON_EACH_SIDE and len(sides["inside"]) >= LEAST_SHARE * sum(map(len, sides.values())):
            found.append((-smaller, key, sides))
    return [(named[key], sides) for _, key, sides in sorted(found, key=lambda one: one[:2])[:MOST_PLACES]]


def _sides(measure: PlaceMeasure, topic: Topic, place: Place, sides: SidesOfPlace) -> tuple[Side, Side]:
    def side(location: Location) -> Side:
        wordings = ask_for_side(measure, topic.text, place.name, location)
        constraint = Located(
            value=place.name,
            cue=wordings[0].cue,
            forms=(place.name,),
            relation=measure.key,
            level=place.level,
            country=place.country,
            location=location,
        )
        return Side(constraint, wordings, nearest((0.0, number) for number in sides[location]))

    return side("inside"), side("outside")


def ask_for_side(measure: PlaceMeasure, topic: str, place: str, location: Location) -> tuple[Wording, ...]:
    """Every way to ask for what is inside a place, or outside; the opposite asks for the other side."""
    found = []
    for one in measure.wordings:
        inside, outside = (text.format(topic=topic, p=with_article(place)) for text in (one.inside, one.outside))
        query, opposite = (inside, outside) if location == "inside" else (outside, inside)
        name = f"{one.name}_{location.upper()}"
        found.append(Wording(query, opposite, name, f"{measure.key}.{name}", one.cues[location == "outside"]))
    return tuple(found)


def with_article(place: str) -> str:
    """The name of a place as it stands in a sentence: the United States."""
    return f"the {place}" if place.startswith(_ARTICLES) else place


def _locations(constraint: Constraint) -> dict[str, Location]:
    assert isinstance(constraint, Located)
    other: Location = "outside" if constraint.location == "inside" else "inside"
    return {SATISFYING: constraint.location, VIOLATING: other}


def _count_name(example: Example, role: str) -> int:
    constraint = example.constraint
    return len(find_forms(example.document(role).text, constraint.forms)) if constraint else 0


def _count_places(example: Example, role: str) -> int:
    return len(read_places(example.document(role).text))


_SOLVERS = (
    Solver("fewer_of_the_name", "the text that names the place of the query less often", prefer_lower(_count_name)),
    Solver("fewer_places", "the text that names fewer places", prefer_lower(_count_places)),
)
_MATCHING = (
    "only a text inside the place can name it, and both queries do; so word matching is right for one of the two"
)


@dataclass(frozen=True, slots=True)
class PlaceType:
    """How places are checked and audited."""

    record: type[Constraint] = Located
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """Both queries name the place, and only texts inside it do."""
        names = ("fewer_of_the_name", "bm25_query", "bm25_opposite", "overlap", "own_query_words")
        return _MATCHING if solver in names else ""

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the places of both texts again."""
        return BUILDER.faults(examples)


PLACE = PlaceType()
BUILDER = PlaceBuilder({"shorter": "unbalanced_length", "fewer_places": "unbalanced_places"})
