"""Comparisons of runs, and results of a gate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.app.api.run import Run, as_run
from constraintsuite.app.api.suite import FolderPath
from constraintsuite.app.pages.comparison import comparison_table, comparison_text, gate_table
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.tables import Table
from constraintsuite.core.statistics.pairwise import parse_metric
from constraintsuite.core.statistics.ties import STRICT, TiePolicy, TieRule
from constraintsuite.experiments import compare as comparing
from constraintsuite.experiments import gate as checking
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.load import name_runs
from constraintsuite.experiments.pair_experiment import pair_experiment, pair_experiments
from constraintsuite.experiments.policy import Policy


class Comparison:
    """Paired tests of runs, corrected for their number.

    `tests` has the test of each pair of runs in each metric and group, and `changes`, for each pair of runs, the
    examples with another outcome in the second run.
    """

    def __init__(self, stored: comparing.Comparison) -> None:
        self.stored = stored
        self.tests = stored.tests
        self.changes = stored.changes

    def table(self) -> Table:
        """The tests as a table with one row per test."""
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

    Returns a `Comparison`: differences (second minus first) with 95 % intervals and paired tests that are clustered by
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


class GateResult:
    """The verdict on a run; `bool(result)` is `result.passed`, so `assert cs.gate(...)` stops where a rule fails.

    `passed` is whether the run keeps every rule, or breaks none for sure where the policy allows that. `outcome` is
    `passed`, `failed`, or `inconclusive`: chance could have broken a limit, or kept it. `verdicts` say what became of
    each rule, with the values it was judged by.
    """

    def __init__(self, stored: checking.GateResult) -> None:
        self.stored = stored
        self.passed = stored.passed
        self.outcome = stored.outcome
        self.verdicts = stored.verdicts

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the run does not pass, one sentence per failed rule; empty where it passes."""
        return tuple(f"{verdict.rule}: {verdict.reason}" for verdict in self.verdicts if verdict.outcome != "passed")

    def table(self) -> Table:
        """The verdicts as a table with one row per rule."""
        return gate_table(self.stored)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        against = f", compared with {self.stored.baseline}" if self.stored.baseline else ""
        verdict = "passes" if self.passed else f"does not pass ({self.outcome})"
        return f"{self.stored.run} {verdict} on {self.stored.data}{against}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def gate(
    run: Run | FolderPath, policy: Policy | FolderPath | None = None, *, baseline: Run | FolderPath | None = None
) -> GateResult:
    """Check a run against limits that you set, as `csuite gate` does, so that a worse model is not released.

    `run` is a run or its folder; `policy` a YAML file of rules, of which `csuite gate --example` prints one to start
    from, and without which the headline may not drop by more than two points; `baseline` the run that rules with
    `max_drop` and `max_rise` compare with.

    Returns a `GateResult` with `passed` and `outcome`, and `reasons` where a rule fails or is inconclusive. Its truth
    value is `passed`.

        >>> result = cs.gate("runs/ours/new", "gate.yaml", baseline="runs/ours/old")
        >>> if not result.passed:
        ...     print("\\n".join(result.reasons))
    """
    rules = policy if policy is None or isinstance(policy, Policy) else Policy.read(Path(policy))
    checked = as_run(run)
    suite, ties = checked.suite.stored, rules.tie_rule if rules else STRICT
    judged = pair_experiment(checked.stored, suite, ties)
    against = None if baseline is None else pair_experiment(as_run(baseline).stored, suite, ties)
    return GateResult(checking.check_run(rules or checking.default_policy(against or judged), judged, against))
