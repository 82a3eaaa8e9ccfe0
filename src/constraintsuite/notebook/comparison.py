"""A comparison of runs to look at, and how to make one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraintsuite.errors import UserError
from constraintsuite.experiments import compare as comparing
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.load import name_runs
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.metrics.pairwise import parse_metric
from constraintsuite.metrics.ties import TiePolicy, TieRule
from constraintsuite.notebook.places import FolderPath
from constraintsuite.notebook.run import Run, as_run
from constraintsuite.records.tables import Table
from constraintsuite.reports.comparison import comparison_table, comparison_text


class Comparison:
    """Paired tests of runs, corrected for their number."""

    def __init__(self, stored: comparing.Comparison) -> None:
        self.stored = stored

    @property
    def tests(self) -> tuple[comparing.PairedDifference, ...]:
        """The test of each pair of runs in each metric and group."""
        return self.stored.tests

    @property
    def changes(self) -> Mapping[str, tuple[comparing.ItemChange, ...]]:
        """Examples with another outcome in the second run, for each pair of runs."""
        return self.stored.changes

    def table(self) -> Table:
        """One row per test."""
        return comparison_table(self.stored)

    def __str__(self) -> str:
        return comparison_text(self.stored)

    def __repr__(self) -> str:
        return f"Comparison of {', '.join(self.stored.systems)} on {self.stored.data}: {len(self.tests)} tests"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def compare(
    *runs: Run | FolderPath,
    metric: str | Sequence[str] = (),
    by: str | None = None,
    ties: TiePolicy = "strict",
    changed: int = 0,
) -> Comparison:
    """Test whether runs of one suite differ by more than chance, as `csuite compare` does.

    `runs` are two or more runs or their folders; every pair of them is compared. `metric` is one metric or several, the
    headline metric of the suite unless given;
    `by` a grouping, such as `slice` or `relation`, for tests by group as well; `ties` what equal scores count;
    `changed` how many examples with another outcome to list.

    Returns a `Comparison`: differences (second less first) with 95 % intervals and paired tests that are clustered by
    source document and corrected with Holm's method.

        >>> cs.compare(run, "runs/ours/bm25", metric="paired_accuracy", by="slice")
    """
    if len(runs) < 2:
        raise UserError("A comparison needs two runs or more.")
    given = [as_run(run) for run in runs]
    metrics = [parse_metric(name).name for name in ([metric] if isinstance(metric, str) else metric)]
    named = name_runs([run.stored for run in given])
    experiments = pair_experiments(given[0].suite.stored, named, TieRule(ties))
    return Comparison(compare_experiments(experiments, metrics, by=by, changed=changed))
