"""Measures of rankings and of answers, as the benchmarks compute them."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from constraintsuite.memory.public.porter import stem

MetricValues = dict[str, float | None]
"""By name of the metric; None where it is not defined."""
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ARTICLES_AND = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CLOSED = frozenset(("yes", "no", "noanswer"))


class MatchScores(NamedTuple):
    """A prediction compared with the gold: the words of an answer, or a set of passages."""

    em: float
    """1 if the two are the same."""
    f1: float
    precision: float
    recall: float


def compare_sets(predicted: Collection[str], gold: Collection[str]) -> MatchScores:
    """Compare two sets as HotpotQA's evaluation does: a division by zero gives 0."""
    mine, theirs = set(predicted), set(gold)
    shared = len(mine & theirs)
    precision = shared / len(mine) if mine else 0.0
    recall = shared / len(theirs) if theirs else 0.0
    return MatchScores(float(mine == theirs), harmonic(precision, recall), precision, recall)


def harmonic(precision: float, recall: float) -> float:
    """F1; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def ranking_values(gold: Collection[str], ranking: Sequence[str], cutoffs: Sequence[int]) -> MetricValues:
    """Compute `hit`, `recall`, `all_gold` and `ndcg` at each cut-off, and `mrr`; all are None for an item without gold."""
    wanted = set(gold)
    values: MetricValues = {}
    for k in cutoffs:
        found = len(wanted.intersection(ranking[:k]))
        values[f"hit@{k}"] = float(found > 0)
        values[f"recall@{k}"] = found / max(1, len(wanted))
        values[f"all_gold@{k}"] = float(found == len(wanted))
        values[f"ndcg@{k}"] = _ndcg(wanted, ranking[:k], k) if wanted else None
    first = next((rank for rank, name in enumerate(ranking, 1) if name in wanted), None)
    values["mrr"] = 1 / first if first else 0.0
    return values if wanted else dict.fromkeys(values)


def _ndcg(wanted: Collection[str], ranking: Sequence[str], k: int) -> float:
    """With the usual discount log2(rank + 1), which is not LongMemEval's."""
    gained = sum(1 / math.log2(place + 1) for place, name in enumerate(ranking, 1) if name in wanted)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), k) + 1))


WRONG = MatchScores(0.0, 0.0, 0.0, 0.0)


def normalised(text: str) -> str:
    """Lower-case a text and drop ASCII punctuation, articles and extra spaces, in the order of SQuAD's evaluation."""
    return " ".join(_words(text, _ARTICLES))


def compare_closed(answer: str, gold: str) -> MatchScores:
    """Compare answers as HotpotQA and 2WikiMultiHopQA do: a part of `yes`, `no` or `noanswer` scores 0."""
    mine, right = normalised(answer), normalised(gold)
    em = float(mine == right)
    if mine != right and (mine in _CLOSED or right in _CLOSED):
        return WRONG
    return MatchScores(em, *_overlap(mine.split(), right.split()))


def compare_open(answer: str, gold: Sequence[str]) -> MatchScores:
    """Compare answers as MuSiQue does: the best EM and the best F1 over all right answers; two empty ones have F1 1."""
    scores = []
    for one in gold:
        mine, right = normalised(answer).split(), normalised(one).split()
        f1, precision, recall = _overlap(mine, right) if mine and right else (float(mine == right),) * 3
        scores.append(MatchScores(float(mine == right), f1, precision, recall))
    return MatchScores(*(max(column) for column in zip(*scores, strict=True)))


def stemmed_f1(answer: str, gold: str) -> float:
    """Compare answers as LoCoMo does: also without `and`, words by their Porter stem."""
    mine, right = (list(map(stem, _words(text, _ARTICLES_AND))) for text in (answer, gold))
    return _overlap(mine, right)[0]


def stemmed_list_f1(answer: str, gold: str) -> float:
    """Compare lists as LoCoMo does: each part of the right answer with the nearest part of the given one."""
    mine = [part.strip() for part in answer.split(",")]
    right = [part.strip() for part in gold.split(",")]
    return sum(max(stemmed_f1(part, wanted) for part in mine) for wanted in right) / len(right)


def _overlap(mine: Sequence[str], right: Sequence[str]) -> tuple[float, float, float]:
    """Return F1, precision and recall of words; a word counts as often as both sides have it."""
    shared = sum((Counter(mine) & Counter(right)).values())
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / len(mine), shared / len(right)
    return harmonic(precision, recall), precision, recall


def _words(text: str, dropped: re.Pattern[str]) -> list[str]:
    return dropped.sub(" ", text.lower().translate(_PUNCTUATION)).split()
