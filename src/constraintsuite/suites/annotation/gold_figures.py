"""What people say of a suite in a judged gold batch, for the criteria of the guide."""

from __future__ import annotations

from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.suites.annotation.agreement import ALL, measure_agreement
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.kinds.gold import judge_examples, summarise
from constraintsuite.suites.annotation.labels import label_all
from constraintsuite.suites.criteria.records import GoldFigures


def gold_figures(batch: AnnotationBatch) -> GoldFigures | None:
    """Agreement and verdicts of a gold batch; None if nobody has answered yet."""
    current = current_answers(batch.store.events())
    if not current.annotators:
        return None
    found = summarise(batch, judge_examples(batch, label_all(batch, current)))
    settled = sum(found.verdicts.values()) - found.verdicts["open"]
    return GoldFigures(
        agreement={row.question: row.figures.raw for row in measure_agreement(batch, current) if row.group == ALL},
        right=found.right,
        kept=wilson(found.verdicts["keep"], settled),
    )
