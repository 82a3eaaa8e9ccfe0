"""A checkpoint on the pairs of a suite, by the very functions of `csuite eval`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.load import load_suite
from constraintsuite.experiments.outcomes import judge_all
from constraintsuite.experiments.pairs import PairTable
from constraintsuite.experiments.scoring import pairs_of, score_pairs
from constraintsuite.models.base import Scorer
from constraintsuite.records.examples import Example
from constraintsuite.store.artifact import Artifact
from constraintsuite.tuning.curves import OVERALL
from constraintsuite.tuning.evaluation.base import EvaluationFigure
from constraintsuite.tuning.evaluation.settings import SuiteEvaluation

METRICS = ("accuracy", "opposite_accuracy", "paired_accuracy", "responsiveness", "tie_rate", "gap", "sensitivity")
CONTROL_METRICS = ("accuracy", "invariance", "opposite_accuracy")


@dataclass(frozen=True)
class SuiteMeasurement:
    """The pairs, ready to be scored again and again."""

    name: str
    examples: Sequence[Example]
    controls: Sequence[Example]

    def figures(self, scorer: Scorer) -> Iterator[EvaluationFigure]:
        """Overall, and by slice."""
        scores = score_pairs(scorer, pairs_of([*self.examples, *self.controls]))
        table = PairTable("", self.examples, self.controls, judge_all(self.examples, self.controls, scores))
        for part, members in {OVERALL: table.main, **table.groups["slice"]}.items():
            names = METRICS if members[0] < len(self.examples) else CONTROL_METRICS
            for metric, interval in group_figures(table, "", members, metrics=names).metrics.items():
                if interval.n:
                    yield EvaluationFigure(part, metric, interval)


def open_suite(settings: SuiteEvaluation) -> SuiteMeasurement:
    """The pairs of the split that the settings name."""
    suite = load_suite(settings.suite)
    examples = [e for e in suite.examples if settings.split in (None, e.split)]
    controls = [e for e in suite.controls if settings.controls and settings.split in (None, e.split)]
    if not examples:
        raise UserError(f"evaluation {settings.name}: {settings.suite} has no example of the split {settings.split}.")
    return SuiteMeasurement(settings.name, examples, controls)


def suite_input(settings: SuiteEvaluation) -> str:
    """The hash of the suite."""
    return Artifact.open(settings.suite, "suite").manifest.content
