"""Runs of a suite of pairs as experiments, under any rule for ties.

A rule is applied to the stored scores of a run. No model scores again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS, Example
from constraintsuite.core.statistics.pairwise import PairResult, Scores, judge_all, keep_queries
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.load import (
    SCORES,
    Run,
    Suite,
    find_suite,
    load_run,
    load_suite,
    read_results,
    restrict_to_splits,
)
from constraintsuite.experiments.pairs import HEADLINE, pair_table
from constraintsuite.experiments.scoring import PairScore, document_id, documents_of, pairs_of
from constraintsuite.experiments.summary import summarise


def open_pairs(path: Path, options: OpenOptions) -> Experiment:
    """Open the run in a folder, with the suite that it was made on."""
    run, suite = load_run(path), load_suite(options.suite or find_suite(path))
    splits = run.artifact.manifest.settings.get("splits", SPLITS)
    return pair_experiment(run, restrict_to_splits(suite, splits), options.rule)


def pair_experiment(run: Run, suite: Suite, rule: TieRule = STRICT, name: str | None = None) -> Experiment:
    """A run under a rule for ties, labelled `name` or by its system.

    Raises UserError if the run is of another suite.
    """
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


def rejudge(run: Run, suite: Suite, rule: TieRule) -> Run:
    """The run with results and figures under another rule for ties.

    Raises UserError if a run is of another suite, or of another version of this suite.
    """
    if run.artifact.manifest.inputs.get("suite") != suite.content:
        raise UserError(
            f"{run.artifact.path}: this run is of another suite ({run.summary.suite}) than {suite.artifact.path} "
            f"({suite.name}), or of an earlier state of it. Make the run again, leave it out, or give its own suite."
        )
    if run.summary.rule == rule:
        return run
    # Read everything that was scored even if `run` is a slice: the unit and the originals of controls may be outside of it.
    known = {result.id: result for result in read_results(run.artifact.path)}
    examples, controls = (
        # People may have answered only some of the queries.
        [keep_queries(example, known[example.id].gaps) for example in part if example.id in known]
        for part in (suite.examples, suite.controls)
    )
    results = judge_all(examples, controls, _read_scores(run, [*examples, *controls]), rule)
    wanted = {result.id for result in run.results}
    kept = [replace(result, cut=known[result.id].cut) for result in results if result.id in wanted]
    found = with_results(run, suite, kept, rule)
    return replace(found, summary=replace(found.summary, ties=run.summary.ties, truncation=run.summary.truncation))


def with_results(run: Run, suite: Suite, results: Sequence[PairResult], rule: TieRule) -> Run:
    """The run with other results, and with their figures."""
    table = pair_table(run.summary.system, suite.examples, suite.controls, results)
    summary = summarise(run.summary.suite, table, seed=run.summary.seed, draws=run.summary.draws, rule=rule)
    return Run(run.artifact, summary, tuple(results))


def _read_scores(run: Run, examples: Sequence[Example]) -> Scores:
    """The scores of a run, by query and text."""
    file = run.artifact.path / SCORES
    stored = {(row.query, row.document): row.score for row in read_jsonl(file, PairScore)}
    ids = {text: document_id(text) for text in documents_of(examples)}
    try:
        return {(query, text): stored[query, ids[text]] for query, text in pairs_of(examples)}
    except KeyError:
        raise UserError(
            f"{file}: a score is missing that the run's examples need. Make the run again with the same command."
        ) from None
