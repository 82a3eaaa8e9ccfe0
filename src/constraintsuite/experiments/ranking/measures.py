"""The measures of a ranking: ir-measures, and constraint measures, which count violating documents."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.ranking import DEEPEST, StandardMeasure, measure_queries, parse_standard
from constraintsuite.experiments.ranking.collection import JudgedQuery

RELEVANCE = ("nDCG@10", "RR@10", "R@1", "R@100", "AP", "Judged@10")
"""The measures that are always computed."""
CONSTRAINTS = (
    "violation@10",
    "violation_rate@1",
    "violation_rate@10",
    "first_violation",
    "no_violation",
    "dR@1",
    "dMRR@10",
    "right_rank@10",
)
"""The measures that are also computed if violating documents are known."""
P_MRR = "p-MRR"
"""The measure that is also computed if instructions were changed."""
_NAME = re.compile(r"([A-Za-z_-]+)(?:@([0-9]{1,7}))?")


@dataclass(frozen=True, slots=True)
class ConstraintMeasure:
    """A measure of violating documents; `str` is what a user writes."""

    kind: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.kind if self.cutoff is None else f"{self.kind}@{self.cutoff}"


RankingMeasure = StandardMeasure | ConstraintMeasure


class QueryRanking(NamedTuple):
    """The documents found for a query, best first."""

    query: JudgedQuery
    documents: Sequence[str]
    original: Sequence[str] = ()
    """The documents found for the query whose instruction was changed to make this one, if there is one."""


def rankings_of(queries: Sequence[JudgedQuery], found: Mapping[str, Sequence[str]]) -> list[QueryRanking]:
    """The ranking of each query, by what was found for each id; nothing was found for an id that is not there."""
    return [QueryRanking(query, found.get(query.id, ()), found.get(query.original, ())) for query in queries]


def parse_measures(texts: Sequence[str]) -> list[RankingMeasure]:
    """The measures that a user named, without repetitions; all wrong names are reported together."""
    measures: dict[RankingMeasure, None] = {}
    faults = []
    for text in texts:
        try:
            measures[_parse(text)] = None
        except MissingExtraError:  # not the fault of a measure
            raise
        except UserError as error:
            faults.append(str(error))
    if faults:
        ours = ", ".join(f"{name}@K" if kind.has_cutoff else name for name, kind in KINDS.items())
        raise UserError(
            "\n".join([*dict.fromkeys(faults), f"In addition to the measures of ir-measures there are: {ours}."])
        )
    return list(measures)


def choose_measures(wanted: Sequence[str], queries: Sequence[JudgedQuery], depth: int | None) -> list[RankingMeasure]:
    """The usual measures and the wanted ones. Raises UserError if a wanted measure needs deeper rankings."""
    usual = [
        *RELEVANCE,
        *(CONSTRAINTS if any(query.violating for query in queries) else ()),
        *([P_MRR] if any(query.regraded for query in queries) else ()),
    ]
    asked = parse_measures(wanted)
    most = max((len(query.candidates) for query in queries), default=0)
    deep = [str(measure) for measure in asked if depth is not None and _depth_of(measure, most) > depth]
    if deep:
        raise UserError(f"{', '.join(deep)}: rankings go to depth {depth} only. Give a greater --depth.")
    fitting = [m for m in parse_measures(usual) if depth is None or _depth_of(m, most) <= depth]
    return list(dict.fromkeys([*fitting, *asked]))


def _depth_of(measure: RankingMeasure, candidates: int) -> int:
    """How deep a measure looks; p-MRR needs the rank of every candidate."""
    return candidates if str(measure) == P_MRR else measure.cutoff or 0


def measure_rankings(
    measures: Sequence[RankingMeasure], rankings: Sequence[QueryRanking]
) -> dict[RankingMeasure, FloatArray]:
    """A value for each ranking. It is NaN without a relevant document, or for a constraint measure without a violating one."""
    answerable = [ranking for ranking in rankings if ranking.query.relevant]
    standard = measure_queries(
        [measure for measure in measures if isinstance(measure, StandardMeasure)],
        {r.query.id: {**dict.fromkeys(r.query.violating, 0), **r.query.grades} for r in answerable},
        {r.query.id: r.documents for r in answerable},
    )
    columns = {}
    for measure in measures:
        if isinstance(measure, StandardMeasure):
            values = [standard[measure].get(ranking.query.id, math.nan) for ranking in rankings]
        else:
            values = [_value(measure, ranking) for ranking in rankings]
        columns[measure] = np.array(values, dtype=np.float64)
    return columns


def first_rank(documents: Sequence[str], wanted: Collection[str]) -> int | None:
    """The rank of the first wanted document."""
    return next((rank for rank, document in enumerate(documents, 1) if document in wanted), None)


def _parse(text: str) -> RankingMeasure:
    match = _NAME.fullmatch(text.strip())
    kind = match[1] if match else ""
    if kind not in KINDS:
        return parse_standard(text.strip())
    cutoff = int(match[2]) if match and match[2] else None
    has_cutoff = KINDS[kind].has_cutoff
    if has_cutoff != (cutoff is not None) or cutoff == 0 or (cutoff or 1) > DEEPEST:
        raise UserError(f"Measure {text!r}: write it as {f'{kind}@10' if has_cutoff else kind}.")
    return ConstraintMeasure(kind, cutoff)


def _value(measure: ConstraintMeasure, ranking: QueryRanking) -> float:
    query, kind = ranking.query, KINDS[measure.kind]
    if (kind.needs_violating and not query.violating) or (kind.needs_relevant and not query.relevant):
        return math.nan
    return kind.value(ranking.documents[: measure.cutoff], ranking) / ((kind.per_rank and measure.cutoff) or 1)


def _first_violation(seen: Sequence[str], ranking: QueryRanking) -> float:
    rank = first_rank(seen, ranking.query.violating)
    return math.inf if rank is None else float(rank)


def _right_rank(seen: Sequence[str], ranking: QueryRanking) -> float:
    """Whether there is a relevant document, and no violating document above it."""
    good, bad = first_rank(seen, ranking.query.relevant), first_rank(seen, ranking.query.violating)
    return float(good is not None and (bad is None or good < bad))


def _p_mrr(seen: Sequence[str], ranking: QueryRanking) -> float:
    """p-MRR of FollowIR (Weller et al. 2024) for one query: the mean over the documents whose grade the instruction changes.

    A document that falls from rank r to rank s counts 1 - r/s, one that rises counts s/r - 1. A document that was not found has
    the rank after the last. Without a ranking under both instructions, or without such a document, there is no value.
    """
    regraded = sorted(ranking.query.regraded)
    if not seen or not ranking.original or not regraded:
        return math.nan
    before, after = ({name: rank for rank, name in enumerate(found, 1)} for found in (ranking.original, seen))
    ranks = [(before.get(name, len(before) + 1), after.get(name, len(after) + 1)) for name in regraded]
    return math.fsum(s / r - 1 if r > s else 1 - r / s for r, s in ranks) / len(ranks)


def _recall(seen: Sequence[str], wanted: Collection[str]) -> float:
    return len(set(seen) & set(wanted)) / len(wanted)


def _reciprocal(seen: Sequence[str], wanted: Collection[str]) -> float:
    rank = first_rank(seen, wanted)
    return 0.0 if rank is None else 1 / rank


class MeasureKind(NamedTuple):
    """What all cut-offs of a constraint measure have in common."""

    value: Callable[[Sequence[str], QueryRanking], float]
    """Takes the first K documents (all of them without a cut-off) and the ranking; NaN if it is undefined."""
    has_cutoff: bool = True
    """Whether it is written with @K."""
    needs_violating: bool = True
    """Whether the query must have a violating document."""
    needs_relevant: bool = False
    """Whether the query must have a relevant document too."""
    per_rank: bool = False
    """Whether the value is divided by K."""
    lower_is_better: bool = False
    range: tuple[float, float] | None = None
    """The bounds of its scale, if it is not a share."""
    median: bool = False
    """Whether the figure is the median over queries, because a mean of ranks needs a rank for every query."""


KINDS: Mapping[str, MeasureKind] = {
    "violation": MeasureKind(
        lambda seen, ranking: sum(document in ranking.query.violating for document in seen),
        per_rank=True,
        lower_is_better=True,
    ),
    "violation_rate": MeasureKind(
        lambda seen, ranking: float(first_rank(seen, ranking.query.violating) is not None), lower_is_better=True
    ),
    "first_violation": MeasureKind(_first_violation, has_cutoff=False, median=True),
    "no_violation": MeasureKind(
        lambda seen, ranking: float(first_rank(seen, ranking.query.violating) is None), has_cutoff=False
    ),
    "dR": MeasureKind(
        lambda seen, ranking: _recall(seen, ranking.query.relevant) - _recall(seen, ranking.query.violating),
        needs_relevant=True,
        range=(-1.0, 1.0),
    ),
    "dMRR": MeasureKind(
        lambda seen, ranking: _reciprocal(seen, ranking.query.relevant) - _reciprocal(seen, ranking.query.violating),
        needs_relevant=True,
        range=(-1.0, 1.0),
    ),
    "right_rank": MeasureKind(_right_rank, needs_relevant=True),
    P_MRR: MeasureKind(_p_mrr, has_cutoff=False, needs_violating=False, range=(-1.0, 1.0)),
}
