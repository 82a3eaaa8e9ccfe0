"""The constraint type `compare`: a value below that of a named thing, or above it ("films older than Casablanca")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from constraintsuite.core.records.constraints import NO_OTHER_KEYS, Constraint
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Document
from constraintsuite.suites.audit.solvers import Solver, prefer_higher
from constraintsuite.suites.constraints.number import quantity_measures
from constraintsuite.suites.constraints.time import dated_measures
from constraintsuite.suites.queries.records import Topic
from constraintsuite.suites.queries.topics import plural
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.sides.limits import Border, Borders, KnownValues, LimitBuilder, Limited
from constraintsuite.suites.sides.measures import LimitedMeasure
from constraintsuite.suites.sides.references import Reference, choose_references, find_references
from constraintsuite.suites.sides.solvers import BY_CONSTRUCTION, LIMIT_SOLVERS, UNBALANCED
from constraintsuite.text.terms import TermAnalyser

Given = Literal["name", "name_and_value"]
"""What a query says of the thing that it compares with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedThing:
    """What a query compares with: a document of the same topic, which is neither the satisfying nor the violating one."""

    __pydantic_config__ = NO_OTHER_KEYS

    document: str
    name: str
    stated: str
    """Its value in words, such as "1,685 pounds a week"."""
    text: str
    """The text of the document, which states the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Limited):
    """A query for what has a smaller or larger value than a named thing; `limit` is the value of that thing, in `unit`."""

    type: Literal["compare"] = "compare"
    unit: str
    reference: NamedThing
    given: Given


@dataclass(frozen=True)
class NamedBorders:
    """Borders that are the values of named things of the corpus."""

    view: CorpusView
    references: Mapping[int, Reference]
    shortage: tuple[str, str] = (
        "no_reference",
        "no title that is a name, and that its text uses, has one exact value with enough texts on each side. "
        "Add texts with other values, or give things their names as titles; people and films must be known, so that two "
        "other texts name them.",
    )

    def choose(self, measure: LimitedMeasure, topic: Topic, values: KnownValues) -> Sequence[Border]:
        """The things that divide the values most evenly; one that other texts name is asked for by its name alone too."""
        possible = {
            number: self.references[number]
            for number in values
            if number in self.references and self.view.topics.is_first(topic, number)
        }
        borders = []
        for reference, value in choose_references(possible, values, known_only=measure.known_only):
            borders.append(self._border(measure, reference, value, "name_and_value"))
            if reference.speaks_for_itself:
                borders.append(self._border(measure, reference, value, "name"))
        return borders

    def _border(self, measure: LimitedMeasure, reference: Reference, value: float, given: Given) -> Border:
        corpus = self.view.corpus
        id = corpus.numbering.ids[reference.number]
        thing = NamedThing(
            document=id, name=reference.name, stated=measure.write(value), text=corpus.documents[id].text
        )
        words = thing.name if given == "name" else f"{thing.name} ({thing.stated})"
        constraint = Compared(
            value=words,
            cue="",
            forms=(reference.bare_name,),
            measure=measure.key,
            position="below",
            limit=value,
            unit=measure.unit,
            reference=thing,
            given=given,
        )
        relation = f"{measure.key}_compared"
        return Border(constraint, words, relation, measure.comparing, reference.name, reference.number)


def _find_borders(view: CorpusView, values: Mapping[str, KnownValues]) -> Borders:
    def passages() -> Iterator[tuple[int, Document]]:
        return ((number, row.parse(Document)) for number, row, _ in view.corpus.passages())

    numbers = {number for known in values.values() for number in known}
    heads = {head for one in view.topics.knowledge.classes.values() for head in one.heads}
    return NamedBorders(
        view, find_references(passages, numbers, {form for head in heads for form in (head, plural(head))})
    )


class CompareBuilder(LimitBuilder):
    """Makes examples whose limit is the value of a named thing."""

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """What is compared, which side is asked for, and whether the query says the value of the named thing."""
        assert isinstance(constraint, Compared)
        return {**super().tags(constraint, satisfying), "given": constraint.given}


def _measures() -> tuple[LimitedMeasure, ...]:
    return tuple(one for one in (*quantity_measures(), *dated_measures()) if one.comparing)


def _like_reference(example: Example, role: str) -> int:
    """How many words a text shares with the text of the named thing."""
    constraint = example.constraint
    if not isinstance(constraint, Compared):
        return 0
    return len(_terms(constraint.reference.text) & _terms(example.document(role).text))


@lru_cache(maxsize=20_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(_WORDS.terms(text))


_WORDS = TermAnalyser()
_SOLVERS = (
    *LIMIT_SOLVERS,
    Solver(
        "like_reference",
        "the text that shares more distinct words with the text of the named thing",
        prefer_higher(_like_reference),
    ),
)


@dataclass(frozen=True, slots=True)
class CompareType:
    """How comparisons with named things are checked and audited."""

    record: type[Constraint] = Compared
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """The value decides, together with the query."""
        return BY_CONSTRUCTION.get(solver, "")

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the values of both texts again, and look for the name."""
        return BUILDER.faults(examples)


COMPARE = CompareType()
BUILDER = CompareBuilder(
    borders=_find_borders,
    measures=_measures,
    balanced={**UNBALANCED, "like_reference": "unbalanced_reference"},
)
