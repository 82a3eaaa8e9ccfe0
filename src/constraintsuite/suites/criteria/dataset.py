"""Criteria of the guide for the data: agreement and validity by people, the topic of both documents, and shortcuts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.figures import UnitValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.suites.audit.balance import FLAG_FROM, TOPIC_SCORE
from constraintsuite.suites.audit.results import ALL_MAIN, QUERY_BLIND, Audit, BalanceRow, TargetVerdict
from constraintsuite.suites.criteria.records import CriterionVerdict, GoldFigures, GuideCriterion, is_above, worst
from constraintsuite.suites.filters import topic_share

CLAIM = 0.9
_AGREEMENT, _VALIDITY = "people agree on the gold sample", "people confirm the labels of the gold sample"
_TOPIC, _BALANCE = "both documents are on the topic", "neither document fits the topic better"
_ABOVE_CLAIM = "above 90 %"


def judge_people(suite: str, examples: int, gold: GoldFigures | None) -> Iterator[GuideCriterion]:
    """Agreement and validity, from a gold batch that people judged."""
    if gold is None:
        how = f"`csuite gold sample {suite}`"
        checked = f"all {examples:,} pass the analyser's check of both texts; {how}"
        yield GuideCriterion(_AGREEMENT, _ABOVE_CLAIM, "not_measured", note=how)
        yield GuideCriterion(_VALIDITY, _ABOVE_CLAIM, "not_measured", note=checked)
        return
    agreed = worst(is_above(figure, CLAIM) for figure in gold.agreement.values())
    yield GuideCriterion(_AGREEMENT, f"{_ABOVE_CLAIM} for each question", agreed, _shares(gold.agreement))
    figures = _shares({"labels right": gold.right, "kept as they are": gold.kept})
    yield GuideCriterion(_VALIDITY, f"labels right: {_ABOVE_CLAIM}", is_above(gold.right, CLAIM), figures)


def judge_topic(examples: Sequence[Example], balance: Sequence[BalanceRow]) -> Iterator[GuideCriterion]:
    """Topical match: in how many pairs both documents match the topic, and how far one matches it better."""
    measures = {"both in the BM25 pool of the topic": _in_pool, "both hold the words of the topic": _has_words}
    columns = {
        name: [known for one in examples if (known := measure(one)) is not None] for name, measure in measures.items()
    }
    # All pairs of the suite are counted, so there is nothing to estimate and no interval.
    figures = {name: Interval(fmean(known), None, None, len(known)) for name, known in columns.items() if known}
    verdict = worst("met" if (one.value or 0.0) > CLAIM else "not_met" for one in figures.values())
    yield GuideCriterion(_TOPIC, f"{_ABOVE_CLAIM} of pairs", verdict, _shares(figures))
    scores = {row.slice: row.smd for row in balance if row.feature == TOPIC_SCORE and row.smd is not None}
    balanced: CriterionVerdict = "met" if all(abs(smd) < FLAG_FROM for smd in scores.values()) else "not_met"
    yield GuideCriterion(
        _BALANCE,
        f"BM25 scores for the topic differ by less than {FLAG_FROM} deviations",
        balanced if scores else "not_measured",
        {name: UnitValue(smd, "number") for name, smd in scores.items()},
    )


def judge_shortcuts(audit: Audit) -> Iterator[GuideCriterion]:
    """BM25 and the query-blind classifier, from the audit of the suite."""
    verdicts: dict[TargetVerdict, CriterionVerdict] = {"met": "met", "not_met": "not_met", "too_few": "too_few"}
    for solver, name in (("bm25_query", "BM25 is at chance"), (QUERY_BLIND, "a query-blind classifier is at chance")):
        row = next((row for row in audit.rows if row.solver == solver and row.slice == ALL_MAIN), None)
        verdict = verdicts.get(row.verdict, "not_measured") if row else "not_measured"
        yield GuideCriterion(name, "about 50 %", verdict, _shares({"": row.accuracy}) if row else {})


def _in_pool(example: Example) -> float | None:
    places = [document.pools.get("topic") for document in (example.satisfying, example.violating)]
    return None if None in places else float(all(place and place.rank is not None for place in places))


def _has_words(example: Example) -> float | None:
    shares = [topic_share(example.topic or "", one.title, one.text) for one in (example.satisfying, example.violating)]
    return None if None in shares else float(all(share == 1 for share in shares))


def _shares(figures: Mapping[str, Interval]) -> dict[str, UnitValue]:
    return {name: UnitValue(figure, "share") for name, figure in figures.items()}
