"""The constraint type `all_of`: several constraints at once ("cottages in Wales under 700 pounds a week without stairs")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import OBEYS, SATISFYING, VIOLATING, Example
from constraintsuite.suites.audit.solvers import Solver, prefer_higher
from constraintsuite.suites.combined.drafts import combined_drafts
from constraintsuite.suites.combined.record import AllOf
from constraintsuite.suites.combined.survey import PART_TYPES, CombinedSurvey
from constraintsuite.suites.constraints.base import load_builder, load_type
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.sides.solvers import MORE_NUMBERS, SAME_DIGITS
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms


@dataclass(frozen=True)
class AllOfBuilder:
    """Makes examples from what the other types propose."""

    balanced: Mapping[str, str]

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> CombinedSurvey:
        """Combines the other types of the recipe; if there are none, all that can be combined."""
        asked = any(name in PART_TYPES for name in recipe.constraints)
        unasked = () if asked else PART_TYPES
        surveys = {name: load_builder(name).survey(view, knowledge, recipe, rejects) for name in unasked}
        return CombinedSurvey(view.proposed, surveys)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Natural texts that obey all parts, all but one, and fewer."""
        return combined_drafts(proposals, job, rejects)

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Everything that decides whether the text obeys the part that is broken."""
        part = _all_of(constraint).broken_part
        return load_builder(part.type).read(part, role, analysis, title, knowledge)

    def find_fault(self, pair: CheckedPair) -> str | None:
        """Each text must obey as many parts as its role says, and break all others."""
        constraint = _all_of(pair.proposal.constraint)
        for role, document in {SATISFYING: pair.satisfying, VIOLATING: pair.violating, **pair.further}.items():
            if not fits(constraint, role, document, load_knowledge()):
                return f"{'further' if role.startswith(OBEYS) else role}_parts_unclear"
        return None

    def obeys(self, constraint: Constraint, document: CheckedDocument) -> bool | None:
        """Whether the text obeys all parts; if it breaks another one than the query's opposite does, that is not clear."""
        kept = [
            load_builder(part.type).obeys(part, _read_part(part, "", document, load_knowledge()))
            for part in _all_of(constraint).parts
        ]
        broken = kept.pop(_all_of(constraint).broken)
        return broken if all(kept) else None

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With the evidence for every part."""
        knowledge = load_knowledge()
        own = _all_of(constraint)
        parts = []
        for part in own.parts:
            read = {role: _read_part(part, role, one, knowledge) for role, one in documents.items()}
            parts.append(load_builder(part.type).complete(part, read))
        return replace(own, parts=tuple(parts), evidence=parts[own.broken].evidence)

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """The number of parts, and which one is broken, by type and by its place in the query."""
        own = _all_of(constraint)
        return {"constraints": str(len(own.parts)), "broken": own.broken_part.type, "broken_place": str(own.broken + 1)}

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read all texts again with the analyser that made the suite; labels that people gave are not checked."""
        knowledge = load_knowledge()
        for example in examples:
            if example.analyser not in ANALYSERS.names() or example.control is not None or example.constraint is None:
                continue
            constraint = _all_of(example.constraint)
            analyses = get_analyser(example.analyser).analyse([document.text for document in example.documents])
            for document, analysis in zip(example.documents, analyses, strict=True):
                read = self.read(constraint, document.role, analysis, document.title, knowledge)
                if not fits(constraint, document.role, CheckedDocument(document.title, analysis, read), knowledge):
                    yield f"{example.id}: the {document.role} document does not obey the parts that its role says"


def fits(constraint: AllOf, role: str, document: CheckedDocument, knowledge: Knowledge) -> bool:
    """Whether a text obeys the parts that its role says, and breaks the others."""
    kept = [
        load_builder(part.type).obeys(part, _read_part(part, role, document, knowledge)) for part in constraint.parts
    ]
    if role in (SATISFYING, VIOLATING):
        return kept == [role == SATISFYING or place != constraint.broken for place in range(len(kept))]
    return None not in kept and role == f"{OBEYS}{kept.count(True)}"


def _read_part(part: Constraint, role: str, document: CheckedDocument, knowledge: Knowledge) -> CheckedDocument:
    evidence = load_builder(part.type).read(part, role, document.analysis, document.title, knowledge)
    return replace(document, evidence=evidence)


def _all_of(constraint: Constraint | None) -> AllOf:
    assert isinstance(constraint, AllOf)
    return constraint


def _count_words_of_parts(example: Example, role: str) -> int:
    constraint = example.constraint
    return len(find_forms(example.document(role).text, constraint.forms)) if constraint else 0


_SOLVERS = (
    MORE_NUMBERS,
    SAME_DIGITS,
    Solver("more_of_the_parts", "the text with more words of the parts", prefer_higher(_count_words_of_parts)),
)


@dataclass(frozen=True, slots=True)
class AllOfType:
    """How several constraints are checked and audited."""

    record: type[Constraint] = AllOf
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """What decides the broken part decides the example: both texts obey the others."""
        part = _all_of(example.constraint).broken_part
        return load_type(part.type).by_construction(replace(example, constraint=part), _OF_PARTS.get(solver, solver))

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read the texts again."""
        return BUILDER.faults(examples)


_OF_PARTS = {"more_of_the_parts": "own_query_words"}
"""Solvers that match words, and the solver of the part that does so."""
ALL_OF = AllOfType()
BUILDER = AllOfBuilder(
    {
        "fewer_negations": "unbalanced_negations",
        "more_of_the_parts": "unbalanced_mentions",
        "more_numbers": "unbalanced_numbers",
        "own_query_words": "unbalanced_words",
        "shorter": "unbalanced_length",
    }
)
