"""The constraint type `include`: a thing has two attributes ("cottages with a garden and a wood burner"), or lacks the second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Document
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.audit.solvers import Solver, prefer_higher, prefer_lower
from constraintsuite.suites.constraints.exclude import TIED_WORDS
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.queries.evidence import Stances, YWords, collect_evidence
from constraintsuite.suites.reading.classes import read_classes
from constraintsuite.suites.reading.closed_lists import read_closed_list
from constraintsuite.suites.reading.document import read_nouns
from constraintsuite.suites.reading.records import NounsRead
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mentions
from constraintsuite.text.terms import words

Wanted = Literal["both", "first"]
"""Whether the query asks for both attributes, or for the first without the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Include(Constraint):
    """A query for things with two attributes, or with the first alone; evidence is every mention of either of them."""

    type: Literal["include"] = "include"
    first_forms: tuple[str, ...]
    """The words for the first attribute, which both texts have."""
    second_forms: tuple[str, ...]
    """The words for the second, which only one text has; `kinds` are narrower words for it."""
    wanted: Wanted
    relation: str = ""
    """The closed list of a defining sentence, such as `genre`, in which what is not named is missing; if empty, texts deny it."""
    values: tuple[str, ...] = ()
    """The two values of the list."""


class ListWording(StrictModel):
    """A way to ask for two values of a closed list, and for the first without the second."""

    name: str
    both: str
    first: str
    cue: str


class IncludeData(StrictModel):
    """The content of `include.yaml`."""

    unwanted: frozenset[str]
    lists: dict[str, tuple[ListWording, ...]]


@cache
def include_data() -> IncludeData:
    """What nobody looks for, and the closed lists with their words."""
    return read_package_yaml(IncludeData, "constraintsuite.suites.constraints", "include.yaml")


def wanted_of(constraint: Constraint) -> dict[str, Wanted]:
    """What each document must have."""
    assert isinstance(constraint, Include)
    other: Wanted = "first" if constraint.wanted == "both" else "both"
    return {SATISFYING: constraint.wanted, VIOLATING: other}


def read_mentions(constraint: Constraint, role: str, analysis: Analysis, knowledge: Knowledge) -> tuple[Evidence, ...]:
    """Every mention of an attribute with its verdict; of a closed list every value."""
    assert isinstance(constraint, Include)
    if constraint.relation:
        found = read_closed_list(analysis.text, read_classes(analysis, knowledge), constraint.relation, knowledge)
        return tuple(Evidence(role, one.start, one.end, one.y, one.relation) for one in found)
    judged = judge_mentions(find_forms(analysis.text, constraint.forms), analysis.scopes)
    return tuple(
        Evidence(role, m.span.start, m.span.end, m.verdict, m.rule, m.cue.of(analysis.text) if m.cue else None)
        for m in judged
    )


def what_it_has(constraint: Constraint, title: str, analysis: Analysis, knowledge: Knowledge) -> Wanted | None:
    """Whether a text has both attributes or only the first; None if that is not clear."""
    assert isinstance(constraint, Include)
    if constraint.relation:
        return _what_it_lists(constraint, title, analysis, knowledge)
    asked = {"first": YWords(constraint.first_forms, ()), "second": YWords(constraint.second_forms, constraint.kinds)}
    reading = NounsRead("", analysis.scopes, read_nouns(analysis, knowledge))
    found = collect_evidence(asked, [(Document("", analysis.text, title), reading)])
    if not found["first"].affirming:
        return None
    return _second(found["second"])


def _second(stances: Stances) -> Wanted | None:
    return "both" if stances.affirming else "first" if stances.denying else None


def _what_it_lists(constraint: Include, title: str, analysis: Analysis, knowledge: Knowledge) -> Wanted | None:
    values = {one.value for one in read_mentions(constraint, "", analysis, knowledge)}
    first, second = constraint.values
    if first not in values:
        return None
    if second in values:
        return "both"
    is_hinted = find_forms(f"{title}\n{analysis.text}", (*constraint.second_forms, *constraint.kinds))
    return None if is_hinted else "first"


def _count_named(example: Example, role: str) -> int:
    """How many of the two attributes a text names."""
    constraint = example.constraint
    text = example.document(role).text
    forms = (constraint.first_forms, constraint.second_forms) if isinstance(constraint, Include) else ()
    return sum(bool(find_forms(text, one)) for one in forms)


def _second_places(example: Example, role: str) -> list[int]:
    """Where a text mentions the second attribute, in words from its beginning."""
    constraint = example.constraint
    text = example.document(role).text
    forms = constraint.second_forms if isinstance(constraint, Include) else ()
    return [len(words(text[: span.start])) for span in find_forms(text, forms)]


def _earlier_second(examples: Sequence[Example]) -> FloatArray:
    """Only where both texts mention it: `fewer_second` tests whether a text does at all."""
    shifts = []
    for example in examples:
        good, bad = (_second_places(example, role)[:1] for role in (SATISFYING, VIOLATING))
        shift = bad[0] - good[0] if good and bad else 0
        shifts.append(shift if abs(shift) > TIED_WORDS else 0)
    return np.array(shifts, dtype=np.float64)


_SOLVERS = (
    Solver("more_named", "the text that names more of the two attributes", prefer_higher(_count_named)),
    Solver(
        "fewer_second",
        "the text that mentions the second attribute less often",
        prefer_lower(lambda example, role: len(_second_places(example, role))),
    ),
    Solver(
        "earlier_second",
        f"the text that mentions the second attribute earlier by more than {TIED_WORDS} words",
        _earlier_second,
    ),
)
_MATCHING = "only the text with both values has the words of the second, and both queries have them; so word matching is right for one"


@dataclass(frozen=True, slots=True)
class IncludeType:
    """How pairs of attributes are checked and audited."""

    record: type[Constraint] = Include
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """In a closed list what a text lacks it does not name; other texts name both attributes and deny one."""
        is_list = isinstance(example.constraint, Include) and example.constraint.relation
        return _MATCHING if is_list and solver in _BY_WORDS else ""

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read both texts again with the analyser that made the suite; labels that people gave are not checked."""
        knowledge = load_knowledge()
        for example in examples:
            if example.analyser not in ANALYSERS.names() or example.control is not None or example.constraint is None:
                continue
            wanted: Mapping[str, Wanted] = wanted_of(example.constraint)
            documents = [example.document(role) for role in wanted]
            analyses = get_analyser(example.analyser).analyse([document.text for document in documents])
            for document, analysis in zip(documents, analyses, strict=True):
                found = what_it_has(example.constraint, document.title, analysis, knowledge)
                if found != wanted[document.role]:
                    yield f"{example.id}: the {document.role} document does not have what its role needs"


_BY_WORDS = ("more_named", "fewer_second", "bm25_query", "bm25_opposite", "overlap", "own_query_words")


INCLUDE = IncludeType()
