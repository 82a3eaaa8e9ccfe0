"""The constraint type `exclude`: the query leaves Y out ("soups without cream"), its opposite asks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.examples import (
    ADVERSARIAL,
    NONFLIP,
    OMISSIONS,
    SATISFYING,
    VIOLATING,
    Example,
    ExampleDocument,
)
from constraintsuite.core.records.text import Span
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.suites.audit.solvers import Solver, prefer_lower
from constraintsuite.suites.domain import Knowledge, load_knowledge
from constraintsuite.suites.pairs.records import CheckedDocument, CheckedPair
from constraintsuite.suites.reading.classes import read_classes
from constraintsuite.suites.reading.facts import read_facts
from constraintsuite.suites.reading.records import Fact
from constraintsuite.text import ANALYSERS
from constraintsuite.text.base import Analysis, DocumentVerdict, Polarity
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms, fold
from constraintsuite.text.polarity import JudgedMention, join_verdicts, judge_document, judge_mentions
from constraintsuite.text.terms import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclude(Constraint):
    """A query that leaves Y, the `value`, out; evidence is every mention of Y with the verdict on it."""

    type: Literal["exclude"] = "exclude"
    cues: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Negation words of each document by role, whatever they negate."""
    role: str = ""
    """The relation in which Y must not stand, such as `directed_by`; if empty, a text must not affirm Y at all."""


def judge_y(constraint: Constraint, analysis: Analysis, title: str, knowledge: Knowledge) -> tuple[JudgedMention, ...]:
    """What a text says of each mention of Y: affirmed, negated or uncertain.

    If Y is excluded in one role only, a mention in this role is affirmed, and one in another role is negated.
    """
    mentions = find_forms(analysis.text, constraint.forms)
    if not isinstance(constraint, Exclude) or not constraint.role:
        return judge_mentions(mentions, analysis.scopes)
    facts = read_facts(analysis, read_classes(analysis, knowledge), title, knowledge)
    return tuple(_judge_role(mention, facts, constraint.role) for mention in mentions)


def _judge_role(mention: Span, facts: Sequence[Fact], role: str) -> JudgedMention:
    roles = {fact.relation for fact in facts if fact.start <= mention.start and mention.end <= fact.end}
    verdict: Polarity = "affirmed" if role in roles else "negated" if roles else "uncertain"
    return JudgedMention(mention, verdict, None, "role" if role in roles else "other_role" if roles else "no_role")


def check_verdicts(pair: CheckedPair) -> str | None:
    """The satisfying text must deny Y, or in Omission not mention it, and the violating text must affirm it."""
    expected = "omits" if pair.draft.slice in OMISSIONS else "negates"
    satisfying, violating = (
        join_verdicts(one.value for one in document.evidence) for document in (pair.satisfying, pair.violating)
    )
    if satisfying != expected:
        return f"satisfying_{satisfying}_y"
    if violating != "affirms":
        return f"violating_{violating}_y"
    if shows_otherwise(pair.proposal.constraint, pair.satisfying):
        return "satisfying_shows_y_otherwise"
    if find_forms(pair.satisfying.title, pair.proposal.constraint.forms):
        return "y_in_title_of_satisfying"
    return None


def shows_otherwise(constraint: Constraint, document: CheckedDocument) -> bool:
    """Whether a text that denies Y names something that counts as Y too, such as walnuts for nuts."""
    return bool(find_forms(f"{document.title}\n{document.text}", constraint.kinds))


def check_counts(pair: CheckedPair) -> str | None:
    """Both texts mention Y equally often, except in Omission; otherwise the number would give the answer away."""
    if pair.draft.slice in OMISSIONS or len(pair.satisfying.evidence) == len(pair.violating.evidence):
        return None
    return "unequal_y"


def count_cues(example: Example, role: str) -> int:
    """The number of negation words in a text, whatever they negate; 0 for constraints of another type."""
    return len(example.constraint.cues.get(role, ())) if isinstance(example.constraint, Exclude) else 0


def _count_y(example: Example, role: str) -> int:
    return len(_mentions(example, role))


def _mentions(example: Example, role: str) -> list[Span]:
    constraint = example.constraint
    forms = (constraint.forms or (constraint.value,)) if constraint else ()
    return find_forms(example.document(role).text, forms)


def _count_forms_of_y(example: Example, role: str) -> int:
    text = example.document(role).text
    return len({fold(span.of(text)) for span in _mentions(example, role)})


def _earlier_y(examples: Sequence[Example]) -> FloatArray:
    # Only where both mention Y: `fewer_y` tests whether a text mentions it at all.
    places = [[_words_before_y(example, role) for role in (SATISFYING, VIOLATING)] for example in examples]
    shifts = [bad - good if good is not None and bad is not None else 0 for good, bad in places]
    return np.array([shift if abs(shift) > TIED_WORDS else 0 for shift in shifts], dtype=np.float64)


def _words_before_y(example: Example, role: str) -> int | None:
    mentions = _mentions(example, role)
    return len(words(example.document(role).text[: mentions[0].start])) if mentions else None


TIED_WORDS = 2
"""First mentions of Y this many words apart, or fewer, are at the same place: a cue before Y moves it by a word or two."""
_SOLVERS = (
    Solver("fewer_cues", "the text with fewer cues of negation", prefer_lower(count_cues)),
    Solver("fewer_y", "the text that mentions Y less often", prefer_lower(_count_y)),
    Solver("fewer_forms_of_y", "the text with fewer different forms of Y", prefer_lower(_count_forms_of_y)),
    Solver(
        "position_of_y",
        f"the text that mentions Y earlier by more than {TIED_WORDS} words",
        _earlier_y,
    ),
)


@dataclass(frozen=True, slots=True)
class ExcludeType:
    """How exclusions are checked and audited."""

    record: type[Constraint] = Exclude
    solvers: tuple[Solver, ...] = _SOLVERS

    def by_construction(self, example: Example, solver: str) -> str:
        """In Omission, and in non-flip controls of it, only one text mentions Y; the query of an idiom excludes nothing."""
        is_implicit = example.tags.get("explicitness") == "implicit"
        is_omission = example.slice in OMISSIONS or (example.slice == NONFLIP and is_implicit)
        reasons = _OMISSION if is_omission else _IDIOM if example.slice == ADVERSARIAL else {}
        return reasons.get(solver, "")

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Read both texts again with the analyser that made the suite; labels that people gave are not checked."""
        by_analyser: dict[str, list[Example]] = defaultdict(list)
        for example in examples:
            if example.analyser in ANALYSERS.names() and example.control is None:
                by_analyser[example.analyser].append(example)
        knowledge = load_knowledge()
        for name, part in by_analyser.items():
            texts = sorted({document.text for example in part for document in example.documents})
            analyses = {analysis.text: analysis for analysis in get_analyser(name).analyse(texts)}
            for example in part:
                satisfying, violating = (
                    _reread(example.constraint, document, analyses[document.text], knowledge)
                    for document in map(example.document, (SATISFYING, VIOLATING))
                )
                if satisfying not in ("negates", "omits") or violating != "affirms":
                    yield f"{example.id}: the satisfying document {satisfying} Y and the violating one {violating} it"


def _reread(
    constraint: Constraint | None, document: ExampleDocument, analysis: Analysis, knowledge: Knowledge
) -> DocumentVerdict:
    assert constraint is not None
    return judge_document(judge_y(constraint, analysis, document.title, knowledge))


_OMITTED = "in Omission the satisfying document never mentions Y and the violating one does"
_MATCHED = "in Omission only the violating document contains the words of Y, which are also in the query"
_AFFIRMED = "the idiom excludes nothing, so the document that affirms Y is the right one"
_PLAIN = "the idiom excludes nothing, so plain word matching is right: the control asks whether a model still does it"
_MENTIONS, _MATCHING = ("fewer_y", "fewer_forms_of_y"), ("bm25_query", "bm25_opposite", "overlap", "own_query_words")
_OMISSION = dict.fromkeys(_MENTIONS, _OMITTED) | dict.fromkeys(_MATCHING, _MATCHED)
_IDIOM = dict.fromkeys(_MENTIONS, _AFFIRMED) | dict.fromkeys(_MATCHING, _PLAIN)


EXCLUDE = ExcludeType()
