"""The accuracy of an analyser on hand-labelled sentences, with one half for development and one for reporting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Literal, NamedTuple

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.text.base import Analyser, Polarity
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import JudgedMention, judge_mentions

AuditHalf = Literal["dev", "test", "all"]
_SALT = "audit 468"  # the one of 2,000 that splits the phenomena most evenly; chosen before any result was seen


@dataclass(frozen=True, slots=True)
class AuditSentence:
    """A text with the correct verdict on each mention of Y, written and labelled by hand."""

    id: str
    phenomenon: str
    text: str
    y: str
    forms: tuple[str, ...]
    verdicts: tuple[Polarity, ...]


class AuditAnswer(NamedTuple):
    """One decision of an analyser, with the label; None for no mention."""

    sentence: AuditSentence
    expected: Polarity | None
    found: JudgedMention | None

    @property
    def verdict(self) -> Polarity | None:
        """The analyser's verdict; None if it found no mention."""
        return self.found.verdict if self.found else None

    @property
    def is_right(self) -> bool:
        """Whether the verdict equals the label."""
        return self.verdict == self.expected


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one phenomenon, or of all."""

    name: str
    accuracy: Interval
    precision: Interval
    """The share of mentions judged negated that are negated."""
    recall: Interval
    """The share of negated mentions that were judged negated."""
    affirmed_precision: Interval
    """The share of mentions judged affirmed that are affirmed."""
    f1: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """The scores of an analyser by phenomenon and overall, with its errors."""

    analyser: str
    version: str
    half: AuditHalf
    phenomena: tuple[Score, ...]
    micro: Score
    macro_accuracy: float
    macro_f1: float | None
    errors: tuple[AuditAnswer, ...]


def run_audit(analyser: Analyser, half: AuditHalf = "all") -> Report:
    """The scores of an analyser on the sentences of one half."""
    answers = list(ask(analyser, read_sentences(half)))
    groups: dict[str, list[AuditAnswer]] = defaultdict(list)
    for answer in answers:
        groups[answer.sentence.phenomenon].append(answer)
    scores = tuple(score(name, group) for name, group in sorted(groups.items()))
    return Report(
        analyser=analyser.name,
        version=analyser.version,
        half=half,
        phenomena=scores,
        micro=score("all", answers),
        macro_accuracy=_mean([one.accuracy.value or 0.0 for one in scores]) or 0.0,
        macro_f1=_mean([one.f1 for one in scores if one.f1 is not None]),
        errors=tuple(answer for answer in answers if not answer.is_right),
    )


def read_sentences(half: AuditHalf = "all") -> tuple[AuditSentence, ...]:
    """The labelled sentences; a hash of the id decides the half, so that a new sentence does not move others."""
    place = resources.files("constraintsuite.text").joinpath("audit", "sentences.jsonl")
    with resources.as_file(place) as path:
        sentences = tuple(read_jsonl(Path(path), AuditSentence))
    return tuple(one for one in sentences if half in ("all", half_of(one.id)))


def half_of(item_id: str, salt: str = _SALT) -> AuditHalf:
    """The half that a sentence, or an item of another collection, belongs to."""
    return "dev" if stable_hash(salt, item_id) % 2 == 0 else "test"


def ask(analyser: Analyser, sentences: Sequence[AuditSentence]) -> Iterator[AuditAnswer]:
    """All decisions: one per expected or found mention, and one for a text without any."""
    analyses = analyser.analyse(sentence.text for sentence in sentences)
    for sentence, analysis in zip(sentences, analyses, strict=True):
        judged = judge_mentions(find_forms(sentence.text, sentence.forms), analysis.scopes)
        if not judged and not sentence.verdicts:
            yield AuditAnswer(sentence, None, None)
        for expected, found in zip_longest(sentence.verdicts, judged):
            yield AuditAnswer(sentence, expected, found)


def score(name: str, answers: Iterable[AuditAnswer]) -> Score:
    """Accuracy over all answers, precision and recall of `negated`, precision of `affirmed`."""
    rows = list(answers)
    called = [row for row in rows if row.verdict == "negated"]
    are = [row for row in rows if row.expected == "negated"]
    affirmed = [row for row in rows if row.verdict == "affirmed"]
    precision, recall = _share(called), _share(are)
    return Score(name, _share(rows), precision, recall, _share(affirmed), _f1(precision.value, recall.value))


def _share(rows: Sequence[AuditAnswer]) -> Interval:
    return wilson(sum(row.is_right for row in rows), len(rows))


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None or precision + recall == 0:
        return None
    return 2 * precision * recall / (precision + recall)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
