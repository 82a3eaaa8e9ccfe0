"""How far the people of a batch agree, by question and group, and how attentive each of them was."""

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
LEAST, MOST = -1.0, 1.0
"""Of kappa, AC1 and alpha."""
MOST_OPTIONS = 3
"""Of a question with any number of options: up to so many, each set of them is a category for kappa and AC1."""


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """One question in one group of items."""

    question: str
    group: str
    """`all`, or a value of the grouping."""
    scale: str
    figures: Agreement
    differing: int
    """Items on which two people differ."""
    needed: ItemsNeeded
    """Until the lower bound of the raw agreement is what one wants to claim."""


@dataclass(frozen=True, slots=True)
class Attention:
    """One annotator by what can be checked without another."""

    annotator: str
    answered: int
    decoys: Interval
    """Share of known answers that were given; over decoys, as the answers to one are not independent of each other."""
    repeats: Interval
    """Share of questions answered the same when an item came again with exchanged sides; over such items."""
    shown_first: Interval
    """Of items in which one side was chosen more often, how many by the one shown first; far from one half is a habit."""


def agree(
    batch: AnnotationBatch, said: CurrentAnswers, *, by: str = "", claim: float = CLAIM
) -> list[QuestionAgreement]:
    """Every question that can be compared, over all items and by group; text is not compared."""
    groups = {ALL: batch.judged, **_grouped(batch, by)}
    return [
        _measured(batch, question, group, items, said, claim)
        for question in batch.head.questions
        if question.kind != "text"
        for group, items in groups.items()
    ]


def ratings_of(
    question: AnnotationQuestion, items: Sequence[AnnotationItem], said: CurrentAnswers
) -> list[Mapping[str, Hashable]]:
    """Who said what of each item, in the form in which agreement takes it."""
    return [
        {name: _comparable(question, event.value) for name, event in said.of(item.id, question.id).items()}
        for item in items
    ]


def attention(batch: AnnotationBatch, said: CurrentAnswers) -> list[Attention]:
    """How attentive each annotator was, in the order of their names."""
    return [_attention(batch, annotator, said) for annotator in said.annotators]


def clusters_of(items: Sequence[AnnotationItem]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Items that share a document or a source are one cluster."""
    return connected_components([item.links for item in items])


def _grouped(batch: AnnotationBatch, by: str) -> Mapping[str, Sequence[AnnotationItem]]:
    if not by:
        return {}
    groups: dict[str, list[AnnotationItem]] = defaultdict(list)
    for item in batch.judged:
        if by not in item.groups:
            known = sorted({name for one in batch.judged for name in one.groups})
            raise UserError(f"{batch.path}: no grouping {by!r}. There are: {', '.join(known) or 'none'}.")
        groups[item.groups[by]].append(item)
    return dict(sorted(groups.items()))


def _measured(
    batch: AnnotationBatch,
    question: AnnotationQuestion,
    group: str,
    items: Sequence[AnnotationItem],
    said: CurrentAnswers,
    claim: float,
) -> QuestionAgreement:
    ratings = ratings_of(question, items, said)
    scale = _scale(question)
    rng = np.random.default_rng(stable_hash("agreement", str(batch.head.seed), question.id, group))
    found = agreement(ratings, scale, rng=rng, options=_options(question), clusters=clusters_of(items))
    figures = Agreement(found.raw, *(_on_its_scale(one) for one in (found.kappa, found.ac1, found.alpha)))
    several = [item for item in ratings if len(item) > 1]
    same = sum(len(set(item.values())) == 1 for item in several)
    needed = items_needed(figures.raw, claim)
    return QuestionAgreement(question.id, group, scale, figures, len(several) - same, needed)


def _on_its_scale(figure: Interval) -> Interval:
    """A coefficient with bounds from -1 to 1; with none where they would be the whole of it, and so tell nothing."""
    bounded = clipped(figure, LEAST, MOST)
    return replace(bounded, low=None, high=None) if (bounded.low, bounded.high) == (LEAST, MOST) else bounded


def _options(question: AnnotationQuestion) -> Sequence[Hashable]:
    """The answers there were to choose from; of few options, all sets of them."""
    if question.kind == "choice":
        return question.options
    if question.kind != "choices" or len(question.options) > MOST_OPTIONS:
        return ()
    return [
        frozenset(some) for size in range(len(question.options) + 1) for some in combinations(question.options, size)
    ]


def _scale(question: AnnotationQuestion) -> AnswerScale:
    if question.kind == "choice":
        return "ordinal" if question.ordered else "nominal"
    return "nominal" if question.ordered else "jaccard"


def _comparable(question: AnnotationQuestion, value: AnswerValue) -> Hashable:
    return frozenset(value) if isinstance(value, tuple) and not question.ordered else value


def _attention(batch: AnnotationBatch, annotator: str, said: CurrentAnswers) -> Attention:
    first = list(_side_choices(batch, annotator, said))
    return Attention(
        annotator,
        sum(annotator in names for names in said.judges.values()),
        _share(_known_answers(batch, annotator, said)),
        _share(_repeated_answers(batch, annotator, said)),
        wilson(sum(first), len(first)),
    )


def _share(answers: Mapping[str, Sequence[bool]]) -> Interval:
    """The mean over items, with Wilson's interval of as many: it holds even if the answers to an item slip together."""
    if not answers:
        return UNDEFINED
    value = fmean(sum(some) / len(some) for some in answers.values())
    return Interval(value, *wilson_bounds(value, len(answers)), len(answers))


def _known_answers(batch: AnnotationBatch, annotator: str, said: CurrentAnswers) -> Mapping[str, Sequence[bool]]:
    """By decoy, which of the known answers were given."""
    found: dict[str, list[bool]] = defaultdict(list)
    for item in batch.items.values():
        for question, value in item.expected.items():
            answer = said.of(item.id, question).get(annotator)
            if answer is not None:
                found[item.id].append(answer.value == value)
    return found


def _repeated_answers(batch: AnnotationBatch, annotator: str, said: CurrentAnswers) -> Mapping[str, Sequence[bool]]:
    """By item, which answers were the same again."""
    found: dict[str, list[bool]] = defaultdict(list)
    for item in batch.items:
        for question in batch.questions.values():
            once, again = (said.of(item, question.id, copy).get(annotator) for copy in (0, 1))
            if once is not None and again is not None and question.kind != "text":
                found[item].append(once.value == again.value)
    return found


def _side_choices(batch: AnnotationBatch, annotator: str, said: CurrentAnswers) -> Iterator[bool]:
    """One for each time an item was shown: chance turns all answers to it together. A tie is none."""
    for task in tasks_of(batch, annotator):
        answers = [said.of(task.item.id, question, task.copy).get(annotator) for question in batch.questions]
        chosen = [task.as_meant(answer.value) for answer in answers if answer is not None]
        first, second = map(chosen.count, SIDES)
        if first != second:
            yield first > second


ATTENTIVE = 0.8
"""Whose interval of decoys or repeats lies wholly below it was not attentive."""
FEWEST = 5
"""Decoys, or items that came again: of fewer nothing is said."""
BY_CHANCE = 0.01
"""How seldom chance alone may have anybody of all people choose one side so often."""
RULE = (
    f"Named is whose 95 % interval of decoys or of repeats, on {FEWEST} items or more, lies wholly below {percent(ATTENTIVE)}, "
    "or who chose the text shown first in so many or so few items that chance does it to any of these people "
    f"less than once in {1 / BY_CHANCE:.0f} times."
)
ADVICE = "Look at what they answered, and ask them, before you rely on it."


@dataclass(frozen=True, slots=True)
class Concern:
    """What speaks against relying on somebody's answers."""

    annotator: str
    words: str

    def __str__(self) -> str:
        return f"{self.annotator} {self.words}"


def concerns(people: Sequence[Attention]) -> list[Concern]:
    """Who failed decoys or repeats, or chose by place; those of one person stand together."""
    chances = holm([mcnemar(*_places(one)) for one in people])
    return [
        Concern(one.annotator, words)
        for one, chance in zip(people, chances, strict=True)
        for words in _found(one, chance)
    ]


def too_few(people: Sequence[Attention]) -> str:
    """Of whom the decoys cannot tell anything yet; empty if there is nobody."""
    few = [f"{one.annotator} {one.decoys.n}" for one in people if one.decoys.n < FEWEST]
    if not few:
        return ""
    return f"Too few decoys to know who reads with care: {', '.join(few)} answered, and it takes {FEWEST} each."


def _found(one: Attention, chance: float) -> Iterator[str]:
    if _below(one.decoys):
        yield f"failed the decoys: {_said(one.decoys, 'known answers were right', 'decoys')}."
    if _below(one.repeats):
        yield f"did not say the same again: {_said(one.repeats, 'answers were the same', 'items that came again')}."
    if chance < BY_CHANCE:
        first, second = _places(one)
        which, most = ("first", first) if first > second else ("second", second)
        yield f"chose by place: the text shown {which} in {most:,} of {first + second:,} items (p {say(chance, 'p')})."


def _below(share: Interval) -> bool:
    return share.n >= FEWEST and share.high is not None and share.high < ATTENTIVE


def _places(one: Attention) -> tuple[int, int]:
    """In how many items the text shown first was chosen, and in how many the other."""
    first = round((one.shown_first.value or 0.0) * one.shown_first.n)
    return first, one.shown_first.n - first


def _said(share: Interval, what: str, over: str) -> str:
    assert share.value is not None
    bounds = f"{show(share, 'share').bounds} %"
    return f"{percent(share.value)} of the {what}, in {share.n:,} {over} (95 % interval {bounds})"
