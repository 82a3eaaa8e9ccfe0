"""The constraint type `only`: a thing has exactly one of something ("festivals that take only cash"), or more than one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.audit.solvers import Solver, prefer_higher, prefer_lower
from constraintsuite.suites.constraints.only_reading import Extent, OnlyMeasure, OnlyPage, read_extents, read_values
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.reading.classes import read_classes
from constraintsuite.suites.reading.facts import read_facts
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms


@dataclass(frozen=True, slots=True, kw_only=True)
class Only(Constraint):
    """A query for things with one value alone, or with that value and another; evidence is every value that a text states."""

    type: Literal["only"] = "only"
    measure: str
    """What has one value or several, such as `payment_only`."""
    one: str
    """The value that both texts have."""
    other: str = ""
    """The other value, if the query names it."""
    extent: Extent
    """Whether the query asks for the one value alone, or for several."""


class OnlyWording(StrictModel):
    """One way to ask for one value alone, and for several."""

    name: str
    only: str
    several: str
    cues: tuple[str, str]


class AskedMeasure(OnlyMeasure):
    """Something that a thing has one of or several, and how people ask for it."""

    wordings: tuple[OnlyWording, ...]


@cache
def only_measures() -> dict[str, AskedMeasure]:
    """The measures of `only.yaml`, by key."""
    found = read_package_yaml(tuple[AskedMeasure, ...], "constraintsuite.suites.constraints", "only.yaml")
    return {measure.key: measure for measure in found}


def extents_of(constraint: Constraint) -> dict[str, Extent]:
    """What each document must have."""
    assert isinstance(constraint, Only)
    other: Extent = "several" if constraint.extent == "only" else "only"
    return {SATISFYING: constraint.extent, VIOLATING: other}


def page_of(title: str, analysis: Analysis, knowledge: Knowledge) -> OnlyPage:
    """What of a text decides."""
    classes = read_classes(analysis, knowledge)
    return OnlyPage(title, analysis.text, classes, read_facts(analysis, classes, title, knowledge), analysis.scopes)


def find_extent(constraint: Constraint, page: OnlyPage, knowledge: Knowledge) -> Extent | None:
    """Whether a text states the one value alone, or several; None if that is not clear."""
    assert isinstance(constraint, Only)
    found = read_extents(only_measures()[constraint.measure], page, knowledge)
    return found.get((constraint.one, constraint.other))


def read_evidence(constraint: Constraint, role: str, page: OnlyPage, knowledge: Knowledge) -> tuple[Evidence, ...]:
    """Every value that a text states."""
    assert isinstance(constraint, Only)
    values = read_values(only_measures()[constraint.measure], page, knowledge)
    return tuple(Evidence(role, one.start, one.end, one.y, constraint.measure) for one in values)


def _count_values(example: Example, role: str) -> int:
    constraint = example.constraint
    return len({one.value for one in constraint.evidence if one.document == role}) if constraint else 0


def _count_mentions(example: Example, role: str) -> int:
    constraint = example.constraint
    return len(find_forms(example.document(role).text, constraint.forms)) if constraint else 0


def _count_only(example: Example, role: str) -> int:
    return len(find_forms(example.document(role).text, _ONLY_WORDS))


_ONLY_WORDS = ("only", "alone", "solely", "exclusively", "purely", "nothing but", "nothing else")
_SOLVERS = (
    Solver("fewer_values", "the text that states fewer of the values in question", prefer_lower(_count_values)),
    Solver(
        "fewer_of_the_value", "the text that names the value of the query less often", prefer_lower(_count_mentions)
    ),
    Solver("more_only", 'the text with more words such as "only" and "alone"', prefer_higher(_count_only)),
)
_BY_DEFINITION = (
    "a text with one value alone states fewer values than one with several, and the query says which is right"
)
_BY_WORDS = "what is said with a word such as only is what the query asks for or not, so the word alone wins no pair"
_SAID = ("more_only", "fewer_of_the_value", "bm25_query", "bm25_opposite", "overlap", "own_query_words")
"""Solvers that a saying decides: its words, and where both queries have these words, what matches them."""


@dataclass(frozen=True, slots=True)
class OnlyType:
    """How questions for one value alone are checked and audited."""

    record: type[Constraint] = Only
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """The number of values decides, together with the query; of what is said, so does a word such as "only"."""
        if solver == "fewer_values":
            return _BY_DEFINITION
        measure = only_measures()[example.constraint.measure] if isinstance(example.constraint, Only) else None
        if measure is None or measure.reading != "said":
            return ""
        return _BY_WORDS if solver in (_SAID if measure.implied else _SAID[:2]) else ""

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read both texts again with the analyser that made the suite; labels that people gave are not checked."""
        knowledge = load_knowledge()
        for example in examples:
            if example.analyser not in ANALYSERS.names() or example.control is not None or example.constraint is None:
                continue
            wanted = extents_of(example.constraint)
            documents = [example.document(role) for role in wanted]
            analyses = get_analyser(example.analyser).analyse([document.text for document in documents])
            for document, analysis in zip(documents, analyses, strict=True):
                page = page_of(document.title, analysis, knowledge)
                if find_extent(example.constraint, page, knowledge) != wanted[document.role]:
                    yield f"{example.id}: the {document.role} document does not have as many values as its role needs"


ONLY = OnlyType()
