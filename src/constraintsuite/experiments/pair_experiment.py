"""Runs of a suite of pairs as experiments, under any rule for ties.

A rule is applied to the scores that a run has stored: no model is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.pairwise import PairResult
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.statistics.ties import STRICT, TIE_POLICIES, TieRule
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.load import SCORES, Run, Suite, find_suite, load_run, load_suite, read_results
from constraintsuite.experiments.pairs import HEADLINE, PairTable, pair_table
from constraintsuite.experiments.scoring import PairScore, Scores, document_id, judge_all, keep_queries, pairs_of
from constraintsuite.experiments.summary import summarise


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


_SHOWN = ("accuracy", "opposite_accuracy", "paired_accuracy")


def rejudge(run: Run, suite: Suite, rule: TieRule) -> Run:
    """The run as it would be if ties had counted so; what does not depend on ties is taken over.

    A run of another suite than this, or of another state of it, is a UserError.
    """
    _refuse_other_suite(run, suite)
    if run.summary.rule == rule:
        return run
    # All that was scored, also where `run` is a part: units and originals of controls may lie outside of it.
    known = {result.id: result for result in read_results(run.artifact.path)}
    examples, controls = (_as_asked(part, known) for part in (suite.examples, suite.controls))
    results = judge_all(examples, controls, read_scores(run, [*examples, *controls]), rule)
    wanted = {result.id for result in run.results}
    kept = [replace(result, cut=known[result.id].cut) for result in results if result.id in wanted]
    found = with_results(run, suite, kept, rule)
    return replace(found, summary=replace(found.summary, ties=run.summary.ties, truncation=run.summary.truncation))


def with_results(run: Run, suite: Suite, results: Sequence[PairResult], rule: TieRule) -> Run:
    """The run with these results in place of its own, and their figures."""
    table = pair_table(run.summary.system, suite.examples, suite.controls, results)
    summary = summarise(run.summary.suite, table, seed=run.summary.seed, draws=run.summary.draws, rule=rule)
    return Run(run.artifact, summary, tuple(results))


def read_scores(run: Run, examples: Sequence[Example]) -> Scores:
    """The scores of a run, by query and text."""
    file = run.artifact.path / SCORES
    stored = {(row.query, row.document): row.score for row in read_jsonl(file, PairScore)}
    ids = {text: document_id(text) for _, text in pairs_of(examples)}
    found = {(q, text): stored[q, ids[text]] for q, text in pairs_of(examples) if (q, ids[text]) in stored}
    if len(found) < len(pairs_of(examples)):
        raise UserError(
            f"{file}: a score is missing that the run's examples need. Make the run again with the same command."
        )
    return found


def _refuse_other_suite(run: Run, suite: Suite) -> None:
    if run.artifact.manifest.inputs.get("suite") != suite.content:
        raise UserError(
            f"{run.artifact.path}: this run is of another suite ({run.summary.suite}) than {suite.artifact.path} "
            f"({suite.name}), or of an earlier state of it. Make the run again, leave it out, or give its own suite."
        )


def _as_asked(examples: Sequence[Example], known: Mapping[str, PairResult]) -> list[Example]:
    """The examples of a run with the queries that were scored: people may have been asked about some of them only."""
    return [keep_queries(example, known[example.id].gaps) for example in examples if example.id in known]


def tie_figures(
    examples: Sequence[Example], scores: Scores, *, seed: int, draws: int = DRAWS
) -> Mapping[str, Mapping[str, Interval]]:
    """What main examples would count under every policy for ties, by metric and policy."""
    found = {}
    for policy in TIE_POLICIES:
        table = PairTable(policy, examples, (), judge_all(examples, (), scores, TieRule(policy)))
        found[policy] = group_figures(table, policy, table.main, metrics=_SHOWN, seed=seed, draws=draws).metrics
    return {name: {policy: found[policy][name] for policy in TIE_POLICIES} for name in _SHOWN}
