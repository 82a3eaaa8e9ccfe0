"""Whether a run passes a policy, to look at or to act on."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.experiments import gate as checking
from constraintsuite.experiments.policy import Policy
from constraintsuite.notebook.places import FolderPath
from constraintsuite.notebook.run import Run, as_run
from constraintsuite.records.tables import Column, Table


class GateResult:
    """The verdict on a run; `bool(result)` is `result.passed`, so `assert cs.gate(...)` stops where a rule fails."""

    def __init__(self, stored: checking.GateResult) -> None:
        self.stored = stored

    @property
    def passed(self) -> bool:
        """Whether the run keeps every rule."""
        return self.stored.passed

    @property
    def verdicts(self) -> tuple[checking.GateVerdict, ...]:
        """What became of each rule, with the values behind it."""
        return self.stored.verdicts

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the run does not pass, one sentence per failed rule; empty where it passes."""
        return tuple(f"{verdict.rule}: {verdict.reason}" for verdict in self.verdicts if not verdict.passed)

    def table(self) -> Table:
        """One row per rule."""
        rows = tuple((each.rule, "passed" if each.passed else "FAILED", each.reason) for each in self.verdicts)
        return Table("gate", f"{self!r}.", (Column("rule"), Column("verdict"), Column("reason")), rows)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        against = f", compared with {self.stored.baseline}" if self.stored.baseline else ""
        verdict = "passes" if self.passed else "does not pass"
        return f"{self.stored.model} {verdict} on {self.stored.suite}{against}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def gate(run: Run | FolderPath, policy: Policy | FolderPath, *, baseline: Run | FolderPath | None = None) -> GateResult:
    """Check a run against limits that you set, as `csuite gate` does, so that a worse model is not released.

    `run` is a run or its folder; `policy` a YAML file of rules, of which `csuite gate --example` prints one to start
    from; `baseline` the run that rules with `max_drop` and `max_rise` compare with.

    Returns a `GateResult` with `passed`, and `reasons` where a rule fails. Its truth value is `passed`.

        >>> result = cs.gate("runs/ours/new", "gate.yaml", baseline="runs/ours/old")
        >>> if not result.passed:
        ...     print("\\n".join(result.reasons))
    """
    checked, rules = as_run(run), policy if isinstance(policy, Policy) else Policy.read(Path(policy))
    suite = checked.suite.stored if rules.needs_suite else None
    against = None if baseline is None else as_run(baseline).stored
    return GateResult(checking.check_run(rules, checked.stored, suite, against))
