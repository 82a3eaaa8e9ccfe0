"""Other rules for ties, applied to the scores that a run has stored: no model is asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from constraintsuite.build.audit.groups import group_examples
from constraintsuite.errors import UserError
from constraintsuite.evaluate.figures import figures, generator
from constraintsuite.evaluate.load import SCORES, Run, Suite
from constraintsuite.evaluate.outcomes import judge_all, preferences_of
from constraintsuite.evaluate.scoring import PairScore, Scores, document_id, pairs_of
from constraintsuite.evaluate.summary import summarise
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.metrics.ties import TIE_POLICIES, TieRule
from constraintsuite.records.examples import Example
from constraintsuite.records.scores import Interval
from constraintsuite.store.jsonl import read_jsonl

_SHOWN = ("accuracy", "base_accuracy", "paired_accuracy")


def rejudge(run: Run, suite: Suite, rule: TieRule) -> Run:
    """The run as it would be if ties had counted so; what does not depend on ties is taken over."""
    if run.summary.rule == rule:
        return run
    known = {result.id: result for result in run.results}
    examples, controls = ([e for e in part if e.id in known] for part in (suite.examples, suite.controls))
    results = judge_all(examples, controls, read_scores(run, [*examples, *controls]), rule)
    results = [replace(result, cut=known[result.id].cut) for result in results]
    old = run.summary
    summary = summarise(
        old.suite,
        old.model,
        list(zip(examples, results[: len(examples)], strict=True)),
        list(zip(controls, results[len(examples) :], strict=True)),
        seed=old.seed,
        draws=old.draws,
        rule=rule,
    )
    return Run(run.artifact, replace(summary, ties=old.ties, truncation=old.truncation), tuple(results))


def read_scores(run: Run, examples: Sequence[Example]) -> Scores:
    """The scores of a run, by query and text; people are not asked about topics, so these may be missing."""
    file = run.artifact.path / SCORES
    stored = {(row.query, row.document): row.score for row in read_jsonl(file, PairScore)}
    ids = {text: document_id(text) for _, text in pairs_of(examples)}
    found = {(q, text): stored[q, ids[text]] for q, text in pairs_of(examples) if (q, ids[text]) in stored}
    asked = (wish for example in examples for wish in preferences_of(example).values())
    if any((wish.query, text) not in found for wish in asked for text in (wish.better, wish.worse)):
        raise UserError(f"{file}: a score is missing that the run's examples need. Run `csuite eval` again.")
    return found


def tie_figures(
    examples: Sequence[Example], scores: Scores, *, seed: int, draws: int = DRAWS
) -> Mapping[str, Mapping[str, Interval]]:
    """What main examples would count under every policy for ties, by metric and policy."""
    clusters = group_examples(examples).groups
    found = {
        policy: figures(
            _SHOWN, judge_all(examples, (), scores, TieRule(policy)), clusters, generator(seed, "ties"), draws
        )
        for policy in TIE_POLICIES
    }
    return {name: {policy: found[policy][name] for policy in TIE_POLICIES} for name in _SHOWN}
