"""How `csuite build` makes examples of the constraint type `exclude`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from constraintsuite.core.execution.stage import Job
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING
from constraintsuite.suites.constraints.exclude import Exclude, check_counts, check_verdicts, judge_y, shows_otherwise
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.pairs.exclusions import draft_exclusions
from constraintsuite.suites.pairs.leans import BALANCED
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair, PairDraft
from constraintsuite.suites.queries.exclusions import ExclusionSurvey
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.queries.view import CorpusView
from constraintsuite.suites.recipe import Recipe
from constraintsuite.text.base import Analysis
from constraintsuite.text.denials import OTHER, denial_kind
from constraintsuite.text.polarity import join_verdicts, list_cues

SILENT = "silent"
"""The kind of denial of a satisfying text that does not mention Y."""


@dataclass(frozen=True, slots=True)
class ExcludeBuilder:
    """Queries from what texts deny and from what they say of people; pairs of natural, edited and rewritten texts."""

    balanced: Mapping[str, str] = field(default_factory=lambda: BALANCED)

    def survey(self, view: CorpusView, knowledge: Knowledge, recipe: Recipe, rejects: Counter[str]) -> ExclusionSurvey:
        """Find relations and attributes that can be asked for, and evidence of them."""
        return ExclusionSurvey(view, knowledge, recipe, rejects)

    def draft(self, proposals: Sequence[Proposal], job: Job[Recipe], rejects: Counter[str]) -> Iterable[PairDraft]:
        """Couples and single pairs of the corpus, moved denials, and people in other roles."""
        return draft_exclusions(proposals, job, rejects)

    def read(
        self, constraint: Constraint, role: str, analysis: Analysis, title: str, knowledge: Knowledge
    ) -> tuple[Evidence, ...]:
        """Every mention of Y, with the verdict on it."""
        return tuple(
            Evidence(role, m.span.start, m.span.end, m.verdict, m.rule, m.cue.of(analysis.text) if m.cue else None)
            for m in judge_y(constraint, analysis, title, knowledge)
        )

    def find_fault(self, pair: CheckedPair) -> str | None:
        """The satisfying text must deny Y or omit it, the violating one affirm it, and the number of mentions tell nothing."""
        return check_verdicts(pair) or check_counts(pair)

    def obeys(self, constraint: Constraint, document: CheckedDocument) -> bool | None:
        """Whether the text denies Y; silence is not clear."""
        found = join_verdicts(one.value for one in document.evidence)
        if found == "negates":
            return None if shows_otherwise(constraint, document) else True
        return False if found == "affirms" else None

    def complete(self, constraint: Constraint, documents: Mapping[str, CheckedDocument]) -> Constraint:
        """With all mentions of Y, and the negation words of both texts."""
        assert isinstance(constraint, Exclude)
        evidence = tuple(one for document in documents.values() for one in document.evidence)
        cues = {role: _list_cues(document.analysis) for role, document in documents.items()}
        return replace(constraint, evidence=evidence, cues=cues)

    def tags(self, constraint: Constraint, satisfying: str) -> Mapping[str, str]:
        """How the satisfying text denies Y."""
        return {"denial": denial(satisfying, [one for one in constraint.evidence if one.document == SATISFYING])}


def _list_cues(analysis: Analysis) -> tuple[str, ...]:
    return tuple(analysis.text[start:end].lower() for start, end in list_cues(analysis.scopes))


def denial(text: str, mentions: Sequence[Evidence]) -> str:
    """The kind of the first denial of Y in the satisfying text, from all mentions of Y there."""
    if not mentions:
        return SILENT
    denied = next((one for one in mentions if one.value == "negated"), None)
    if denied is None:
        return OTHER
    cue = denied.cue or ""
    return denial_kind(denied.rule, cue, text[: max(0, text.rfind(cue, 0, denied.start))])


BUILDER = ExcludeBuilder()
