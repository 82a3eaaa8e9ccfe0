"""From a suite to results: every distinct (query, document) scored once, and whether each query got the document it prefers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import NONFLIP, Example, QueryRole
from constraintsuite.core.statistics.pairwise import PairResult
from constraintsuite.core.statistics.ties import STRICT, Outcome, TieRule
from constraintsuite.models.base import Pair, Scorer, TextError

Scores = Mapping[tuple[str, str], float]
"""Score by query and text of the document."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """What a model gave one query and one document; the document's id is the SHA-256 of its text in UTF-8."""

    query: str
    document: str
    score: float


def document_id(text: str) -> str:
    """The name of a text in a run."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def documents_of(examples: Iterable[Example]) -> list[str]:
    """The distinct texts of all documents, sorted."""
    return sorted({document.text for example in examples for document in example.documents})


def pairs_of(examples: Iterable[Example]) -> list[tuple[str, str]]:
    """The distinct (query, text) pairs, sorted."""
    return sorted(
        {
            (query, document.text)
            for example in examples
            for query in example.queries.values()
            for document in example.documents
        }
    )


def score_pairs(scorer: Scorer, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The score of each pair; a model that gives anything but one finite number a pair is refused."""
    return dict(zip(pairs, check_given(scorer, pairs, scorer.score(pairs)).tolist(), strict=True))


def check_given(scorer: Scorer, pairs: Sequence[Pair], scores: object) -> npt.NDArray[np.float64]:
    """Scores that a model gave, if that is one finite number a pair."""
    given = np.asarray(scores, dtype=np.float64)
    if given.shape != (len(pairs),):
        raise UserError(f"Model {scorer.name!r} gave {given.shape} scores for {len(pairs)} pairs, expected one each.")
    if not np.isfinite(given).all():
        query, text = pairs[int(np.flatnonzero(~np.isfinite(given))[0])]
        raise TextError(f"Model {scorer.name!r} gave no finite score to query {query!r} and text {text[:80]!r}.")
    return given


def keep_queries(example: Example, roles: Collection[QueryRole]) -> Example:
    """The example with the queries of these roles only, and the preferences that they state; `query` it always has."""
    kept = {"query", *roles}
    return replace(
        example,
        opposite=example.opposite if "opposite" in kept else None,
        topic=example.topic if "topic" in kept else None,
        restated=example.restated if "restated" in kept else None,
        preferences=tuple(preference for preference in example.preferences if preference.query in kept),
    )


def judge(example: Example, scores: Scores, rule: TieRule = STRICT, unit: float | None = None) -> PairResult:
    """The result of one example, for itself."""
    queries = example.queries
    by_query: dict[QueryRole, list[Outcome]] = {}
    tied: dict[QueryRole, float] = {}
    for preference in example.preferences:
        query = queries[preference.query]
        better, worse = example.document(preference.better), example.document(preference.worse)
        outcome = rule.outcome(scores[query, better.text], scores[query, worse.text])
        by_query.setdefault(preference.query, []).append(outcome)
        if outcome == "tie":
            credit = rule.credit(query, better, worse)
            tied[preference.query] = tied.get(preference.query, 1.0) * credit
    outcomes = {role: _all_of(found) for role, found in by_query.items()}
    satisfying, violating = example.satisfying.text, example.violating.text
    scored = {role: query for role, query in queries.items() if role in outcomes or (query, satisfying) in scores}
    return PairResult(
        id=example.id,
        slice=example.slice,
        couple=example.couple,
        outcomes=outcomes,
        gaps={role: scores[query, satisfying] - scores[query, violating] for role, query in scored.items()},
        paired=outcomes["query"] == outcomes["opposite"] == "right" if example.is_paired else None,
        tie="tie" in outcomes.values(),
        unit=unit,
        tied={role: credit for role, credit in tied.items() if credit},
    )


def _all_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Right if all preferences of a query hold, wrong if one is turned round, a tie otherwise."""
    return "wrong" if "wrong" in outcomes else "tie" if "tie" in outcomes else "right"


def judge_all(
    examples: Sequence[Example], controls: Sequence[Example], scores: Scores, rule: TieRule = STRICT
) -> list[PairResult]:
    """The results of all examples, then of all controls; a non-flip control is compared with its original."""
    unit = deviation(scores.values())
    results = {example.id: judge(example, scores, rule, unit) for example in examples}
    for control in controls:
        result = judge(control, scores, rule, unit)
        original = results.get(control.control.original) if control.control else None
        if control.slice == NONFLIP and original is not None:
            both = {result.outcomes["query"], original.outcomes["query"]}
            result = replace(result, invariant=len(both) == 1, flipped=both == {"right", "wrong"})
        results[control.id] = result
    return list(results.values())


def deviation(scores: Iterable[float]) -> float | None:
    """The standard deviation of scores, None where they are all equal; the same on every processor."""
    numbers = list(scores)
    if not numbers or min(numbers) == max(numbers):
        return None
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)) or None
