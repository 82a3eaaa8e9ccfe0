"""Runs of a suite of pairs as experiments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.headline import HEADLINE
from constraintsuite.experiments.load import Run, Suite, find_suite, load_run, load_suite
from constraintsuite.experiments.pairs import pair_table
from constraintsuite.experiments.rejudge import rejudge
from constraintsuite.metrics.ties import STRICT, TieRule


def open_pairs(path: Path, options: OpenOptions) -> Experiment:
    """The run in a folder, with the suite that it was made from."""
    run = load_run(path)
    return pair_experiment(run, load_suite(options.suite or find_suite(path)), options.rule)


def pair_experiment(run: Run, suite: Suite, rule: TieRule = STRICT, name: str | None = None) -> Experiment:
    """A run under a rule for ties; one of another suite, or of another state of this one, is a UserError."""
    judged = rejudge(run, suite, rule)
    label = name or run.summary.system
    table = pair_table(label, suite.examples, suite.controls, judged.results)
    return Experiment(
        path=run.artifact.path,
        kind="run",
        name=label,
        data=suite.name,
        table=table,
        inputs={"suite": suite.content},
        ties=str(rule),
        total=HEADLINE,
        missing=len(suite.examples) + len(suite.controls) - len(table.items),
        watched=(table.headline_metric,),
    )


def pair_experiments(suite: Suite, runs: Mapping[str, Run], rule: TieRule = STRICT) -> list[Experiment]:
    """Several runs of one suite under their labels."""
    return [pair_experiment(run, suite, rule, name) for name, run in runs.items()]
