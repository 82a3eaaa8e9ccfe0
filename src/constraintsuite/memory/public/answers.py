"""Answers compared as the benchmarks do it: each has its own small variation of the same rules."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.memory.public.evidence import harmonic
from constraintsuite.memory.public.porter import stem

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ARTICLES_AND = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CLOSED = frozenset(("yes", "no", "noanswer"))


class AnswerScores(NamedTuple):
    """An answer against the right one."""

    em: float
    f1: float
    precision: float
    recall: float


WRONG = AnswerScores(0.0, 0.0, 0.0, 0.0)


def normalised(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces; in this order, as SQuAD's evaluation has it."""
    return _squeezed(_ARTICLES.sub(" ", _bare(text)))


def compare_closed(answer: str, gold: str) -> AnswerScores:
    """HotpotQA's and 2WikiMultiHopQA's: half of `yes`, `no` or `noanswer` is worth nothing."""
    mine, right = normalised(answer), normalised(gold)
    em = float(mine == right)
    if mine != right and (mine in _CLOSED or right in _CLOSED):
        return WRONG
    return AnswerScores(em, *_overlap(mine.split(), right.split()))


def compare_open(answer: str, gold: Sequence[str]) -> AnswerScores:
    """MuSiQue's: the best over all right answers, of EM and F1 each for itself; of two empty ones F1 is 1."""
    scores = []
    for one in gold:
        mine, right = normalised(answer).split(), normalised(one).split()
        f1, precision, recall = _overlap(mine, right) if mine and right else (float(mine == right),) * 3
        scores.append(AnswerScores(float(mine == right), f1, precision, recall))
    return AnswerScores(*(max(column) for column in zip(*scores, strict=True)))


def stemmed_f1(answer: str, gold: str) -> float:
    """LoCoMo's: also without `and`, words by their Porter stem."""
    return _overlap(_stems(answer), _stems(gold))[0]


def stemmed_list_f1(answer: str, gold: str) -> float:
    """LoCoMo's for lists: each part of the right answer with the part of the given one that is nearest to it."""
    mine = [part.strip() for part in answer.split(",")]
    right = [part.strip() for part in gold.split(",")]
    return sum(max(stemmed_f1(part, wanted) for part in mine) for wanted in right) / len(right)


def _overlap(mine: Sequence[str], right: Sequence[str]) -> tuple[float, float, float]:
    """F1, precision and recall of words, each counted as often as it stands on both sides."""
    shared = sum((Counter(mine) & Counter(right)).values())
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / len(mine), shared / len(right)
    return harmonic(precision, recall), precision, recall


def _stems(text: str) -> list[str]:
    words = _squeezed(_ARTICLES_AND.sub(" ", _bare(text))).split()
    return [stem(word) for word in words]


def _bare(text: str) -> str:
    return text.lower().translate(_PUNCTUATION)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
