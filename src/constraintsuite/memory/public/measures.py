"""How much of the gold a ranking holds, and how near an answer is to the right one, as the benchmarks compute it."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from constraintsuite.memory.public.base import MetricValues
from constraintsuite.memory.public.porter import stem

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ARTICLES_AND = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CLOSED = frozenset(("yes", "no", "noanswer"))


class MatchScores(NamedTuple):
    """What was predicted against the gold: the words of an answer, or a set of passages."""

    em: float
    """1 if the two are the same."""
    f1: float
    precision: float
    recall: float


def compare_sets(predicted: Collection[str], gold: Collection[str]) -> MatchScores:
    """Scores of two sets, as HotpotQA's evaluation has them: what cannot be divided is 0."""
    mine, theirs = set(predicted), set(gold)
    shared = len(mine & theirs)
    precision = shared / len(mine) if mine else 0.0
    recall = shared / len(theirs) if theirs else 0.0
    return MatchScores(float(mine == theirs), harmonic(precision, recall), precision, recall)


def harmonic(precision: float, recall: float) -> float:
    """F1; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def cutoffs_of(cutoffs: Sequence[int], budget: int) -> list[int]:
    """The cut-offs that a ranking of `budget` places can answer for, and the budget itself."""
    return sorted({k for k in cutoffs if k < budget} | {budget})


def ranking_values(gold: Collection[str], ranking: Sequence[str], cutoffs: Sequence[int]) -> MetricValues:
    """`hit`, `recall`, `all_gold` and `ndcg` at each cut-off, and `mrr`; None for an item without gold."""
    wanted = set(gold)
    values: MetricValues = {}
    for k in cutoffs:
        found = len(wanted.intersection(ranking[:k]))
        values[f"hit@{k}"] = float(found > 0) if wanted else None
        values[f"recall@{k}"] = found / len(wanted) if wanted else None
        values[f"all_gold@{k}"] = float(found == len(wanted)) if wanted else None
        values[f"ndcg@{k}"] = _ndcg(wanted, ranking[:k], k) if wanted else None
    first = next((place for place, name in enumerate(ranking, 1) if name in wanted), None)
    values["mrr"] = (1 / first if first else 0.0) if wanted else None
    return values


def _ndcg(wanted: Collection[str], ranking: Sequence[str], k: int) -> float:
    """With the usual discount log2(rank + 1), which is not LongMemEval's."""
    gained = sum(1 / math.log2(place + 1) for place, name in enumerate(ranking, 1) if name in wanted)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), k) + 1))


WRONG = MatchScores(0.0, 0.0, 0.0, 0.0)


def normalised(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces; in this order, as SQuAD's evaluation has it."""
    return _squeezed(_ARTICLES.sub(" ", _bare(text)))


def compare_closed(answer: str, gold: str) -> MatchScores:
    """HotpotQA's and 2WikiMultiHopQA's: half of `yes`, `no` or `noanswer` is worth nothing."""
    mine, right = normalised(answer), normalised(gold)
    em = float(mine == right)
    if mine != right and (mine in _CLOSED or right in _CLOSED):
        return WRONG
    return MatchScores(em, *_overlap(mine.split(), right.split()))


def compare_open(answer: str, gold: Sequence[str]) -> MatchScores:
    """MuSiQue's: the best over all right answers, of EM and F1 each for itself; of two empty ones F1 is 1."""
    scores = []
    for one in gold:
        mine, right = normalised(answer).split(), normalised(one).split()
        f1, precision, recall = _overlap(mine, right) if mine and right else (float(mine == right),) * 3
        scores.append(MatchScores(float(mine == right), f1, precision, recall))
    return MatchScores(*(max(column) for column in zip(*scores, strict=True)))


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
