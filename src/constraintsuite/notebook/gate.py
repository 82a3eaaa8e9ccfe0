"""Whether a run passes a policy, to look at or to act on."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.experiments import gate as checking
from constraintsuite.experiments.gate_verdicts import GateOutcome, GateVerdict
from constraintsuite.experiments.pair_experiment import pair_experiment
from constraintsuite.experiments.policy import Policy
from constraintsuite.metrics.ties import STRICT
from constraintsuite.notebook.places import FolderPath
from constraintsuite.notebook.run import Run, as_run
from constraintsuite.records.tables import Table
from constraintsuite.reports.gate import gate_table


class GateResult:
    """The verdict on a run; `bool(result)` is `result.passed`, so `assert cs.gate(...)` stops where a rule fails."""

    def __init__(self, stored: checking.GateResult) -> None:
        self.stored = stored

    @property
    def passed(self) -> bool:
        """Whether the run keeps every rule, or breaks none for sure where the policy allows that."""
        return self.stored.passed

    @property
    def outcome(self) -> GateOutcome:
        """`passed`, `failed`, or `inconclusive`: chance could have broken a limit, or kept it."""
        return self.stored.outcome

    @property
    def verdicts(self) -> tuple[GateVerdict, ...]:
        """What became of each rule, with the values behind it."""
        return self.stored.verdicts

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the run does not pass, one sentence per failed rule; empty where it passes."""
        return tuple(f"{verdict.rule}: {verdict.reason}" for verdict in self.verdicts if verdict.outcome != "passed")

    def table(self) -> Table:
        """One row per rule."""
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
