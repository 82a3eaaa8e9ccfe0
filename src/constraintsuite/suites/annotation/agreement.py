"""Measure how far the people of a batch agree, by question and group, and how attentive each of them was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.figures import percent, say, show
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.agreement import Agreement, AnswerScale, agreement
from constraintsuite.core.statistics.intervals import UNDEFINED, clipped, connected_components, wilson, wilson_bounds
from constraintsuite.core.statistics.significance import holm, mcnemar
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of
from constraintsuite.suites.annotation.current_answers import CurrentAnswers
from constraintsuite.suites.annotation.records import SIDES, AnnotationItem, AnnotationQuestion, AnswerValue
from constraintsuite.suites.annotation.sample_size import CLAIM, ItemsNeeded, items_needed

ALL = "all"
MOST_OPTIONS = 3
"""If a question of the kind `choices` has at most this many options, each set of them is a category for kappa and AC1."""


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Agreement on one question, in one group of items."""

    question: str
    group: str
    """`all`, or a value of the grouping."""
    scale: str
    figures: Agreement
    differing: int
    """Number of items on which two people differ."""
    needed: ItemsNeeded
    """Further items until the lower bound of the raw agreement reaches the claim."""


@dataclass(frozen=True, slots=True)
class Attention:
    """What can be checked about one annotator without the answers of others."""

    annotator: str
    answered: int
    decoys: Interval
    """Share of known answers that they gave. n counts decoys, since the answers to one decoy are not independent."""
    repeats: Interval
    """Share of questions that they answered the same way when an item came again. n counts repeated items."""
    shown_first: Interval
    """Share of items in which they chose the side shown first more often than the other. Far from one half is a habit."""


def measure_agreement(
    batch: AnnotationBatch, current: CurrentAnswers, *, by: str = "", claim: float = CLAIM
) -> list[QuestionAgreement]:
    """Measure every question except free text, over all items and, if `by` names a grouping, in each group."""
    groups = {ALL: batch.judged, **_group_items(batch, by)}
    return [
        _measure_question(batch, question, group, items, current, claim)
        for question in batch.head.questions
        if question.kind != "text"
        for group, items in groups.items()
    ]


def ratings_of(
    question: AnnotationQuestion, items: Sequence[AnnotationItem], current: CurrentAnswers
) -> list[Mapping[str, Hashable]]:
    """The answers of each person to each item, as `agreement` takes them."""
    return [
        {name: _comparable(question, event.value) for name, event in current.of(item.id, question.id).items()}
        for item in items
    ]


def measure_attention(batch: AnnotationBatch, current: CurrentAnswers) -> list[Attention]:
    """Measure how attentive each annotator was, in the order of their names."""
    return [_attention(batch, annotator, current) for annotator in current.annotators]


def clusters_of(items: Sequence[AnnotationItem]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The cluster of each item; items that share a document or a source are in one cluster."""
    return connected_components([item.links for item in items])


def _group_items(batch: AnnotationBatch, by: str) -> Mapping[str, Sequence[AnnotationItem]]:
    groups: dict[str, list[AnnotationItem]] = defaultdict(list)
    for item in batch.judged if by else ():
        if by not in item.groups:
            known = sorted({name for one in batch.judged for name in one.groups})
            raise UserError(f"{batch.path}: no grouping {by!r}. There are: {', '.join(known) or 'none'}.")
        groups[item.groups[by]].append(item)
    return dict(sorted(groups.items()))


def _measure_question(
    batch: AnnotationBatch,
    question: AnnotationQuestion,
    group: str,
    items: Sequence[AnnotationItem],
    current: CurrentAnswers,
    claim: float,
) -> QuestionAgreement:
    ratings = ratings_of(question, items, current)
    scale = _scale(question)
    rng = np.random.default_rng(stable_hash("agreement", str(batch.head.seed), question.id, group))
    found = agreement(ratings, scale, rng=rng, options=_categories(question), clusters=clusters_of(items))
    figures = Agreement(found.raw, *map(_bound_coefficient, (found.kappa, found.ac1, found.alpha)))
    differing = sum(len(set(answers.values())) > 1 for answers in ratings)
    return QuestionAgreement(question.id, group, scale, figures, differing, items_needed(figures.raw, claim))


def _bound_coefficient(figure: Interval) -> Interval:
    """Clip the interval of a coefficient to -1 and 1. An interval that covers all of that says nothing, and is dropped."""
    clip = clipped(figure, -1.0, 1.0)
    return replace(clip, low=None, high=None) if (clip.low, clip.high) == (-1.0, 1.0) else clip


def _categories(question: AnnotationQuestion) -> Sequence[Hashable]:
    """All possible answers; if there are few options to combine, all sets of them."""
    if question.kind == "choice":
        return question.options
    if question.kind != "choices" or len(question.options) > MOST_OPTIONS:
        return ()
    sizes = range(len(question.options) + 1)
    return [frozenset(some) for size in sizes for some in combinations(question.options, size)]


def _scale(question: AnnotationQuestion) -> AnswerScale:
    if question.kind == "choice":
        return "ordinal" if question.ordered else "nominal"
    return "nominal" if question.ordered else "jaccard"


def _comparable(question: AnnotationQuestion, value: AnswerValue) -> Hashable:
    return frozenset(value) if isinstance(value, tuple) and not question.ordered else value


def _attention(batch: AnnotationBatch, annotator: str, current: CurrentAnswers) -> Attention:
    known: dict[str, list[bool]] = defaultdict(list)
    repeated: dict[str, list[bool]] = defaultdict(list)
    for item in batch.items.values():
        for question in batch.questions.values():
            once, again = (current.of(item.id, question.id, copy).get(annotator) for copy in (0, 1))
            if once is not None and question.id in item.expected:
                known[item.id].append(once.value == item.expected[question.id])
            if once is not None and again is not None and question.kind != "text":
                repeated[item.id].append(once.value == again.value)
    first = list(_prefers_first(batch, annotator, current))
    answered = sum(annotator in names for names in current.judges.values())
    return Attention(annotator, answered, _share(known), _share(repeated), wilson(sum(first), len(first)))


def _share(answers: Mapping[str, Sequence[bool]]) -> Interval:
    """The mean over items, with Wilson's interval for the number of items: answers to one item are not independent."""
    if not answers:
        return UNDEFINED
    value = fmean(fmean(some) for some in answers.values())
    return Interval(value, *wilson_bounds(value, len(answers)), len(answers))


def _prefers_first(batch: AnnotationBatch, annotator: str, current: CurrentAnswers) -> Iterator[bool]:
    """For each task, whether the side shown first was chosen more often than the other; ties are left out."""
    for task in tasks_of(batch, annotator):
        answers = [current.of(task.item.id, question, task.copy).get(annotator) for question in batch.questions]
        chosen = [task.as_meant(answer.value) for answer in answers if answer is not None]
        first, second = map(chosen.count, SIDES)
        if first != second:
            yield first > second


ATTENTIVE = 0.8
"""A person whose interval for decoys or repeats is entirely below this share was not attentive."""
FEWEST = 5
"""With fewer decoys or repeated items than this, nothing is said about a person."""
BY_CHANCE = 0.01
"""Significance level for choosing by place, with Holm's correction over all people."""
RULE = (
    f"A person is named if the 95 % interval for decoys or for repeats, on {FEWEST} items or more, is entirely below "
    f"{percent(ATTENTIVE)}, or if they chose the text shown first unusually often or seldom (p below {BY_CHANCE}, with Holm's "
    "correction over all people)."
)
ADVICE = "Look at what they answered, and ask them, before you rely on it."


@dataclass(frozen=True, slots=True)
class Concern:
    """A reason not to rely on a person's answers."""

    annotator: str
    words: str


def find_concerns(people: Sequence[Attention]) -> list[Concern]:
    """Name the people who failed decoys or repeats, or chose by position, with the reason."""
    chances = holm([mcnemar(*_place_counts(one)) for one in people])
    return [
        Concern(one.annotator, words)
        for one, chance in zip(people, chances, strict=True)
        for words in _describe_concerns(one, chance)
    ]


def too_few(people: Sequence[Attention]) -> str:
    """A sentence that names the people who answered too few decoys to be checked; empty if there are none."""
    few = [f"{one.annotator} {one.decoys.n}" for one in people if one.decoys.n < FEWEST]
    if not few:
        return ""
    return f"Too few decoys to know who reads with care: {', '.join(few)} answered, but each person needs {FEWEST}."


def _describe_concerns(one: Attention, chance: float) -> Iterator[str]:
    checks = (
        (one.decoys, "failed the decoys", "known answers were right", "decoys"),
        (one.repeats, "did not repeat their answers", "answers were the same", "repeated items"),
    )
    for share, fault, answers, items in checks:
        if share.n >= FEWEST and share.value is not None and share.high is not None and share.high < ATTENTIVE:
            bounds = f"95 % interval {show(share, 'share').bounds} %"
            yield f"{fault}: {percent(share.value)} of the {answers}, in {share.n:,} {items} ({bounds})."
    if chance < BY_CHANCE:
        first, second = _place_counts(one)
        which, most = ("first", first) if first > second else ("second", second)
        yield f"seems to choose by position: the {which} text in {most:,} of {first + second:,} items (p {say(chance, 'p')})."


def _place_counts(one: Attention) -> tuple[int, int]:
    """The number of items in which the text shown first was chosen, and in which the other was."""
    first = round((one.shown_first.value or 0.0) * one.shown_first.n)
    return first, one.shown_first.n - first
