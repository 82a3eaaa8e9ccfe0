"""The files of a run: every score, every result, every figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from constraintsuite.execution.progress import Reporter
from constraintsuite.experiments.facts import split_facts
from constraintsuite.experiments.load import EXAMPLES, MODEL, SCORES, SUMMARY, Suite
from constraintsuite.experiments.outcomes import judge_all
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.experiments.pairs import PairTable
from constraintsuite.experiments.rejudge import tie_figures
from constraintsuite.experiments.scoring import PairScore, Scores, document_id
from constraintsuite.experiments.summary import RunSummary, summarise
from constraintsuite.experiments.truncation import Visible, audit_truncation, sight
from constraintsuite.metrics.resampling import DRAWS
from constraintsuite.models.base import ModelFact
from constraintsuite.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, write_jsonl
from constraintsuite.store.revisions import REVISIONS

RUN_FILES = (SCORES, EXAMPLES, SUMMARY, MODEL)


@dataclass(frozen=True)
class RunContent:
    """What a run is made from."""

    suite: Suite
    """With the examples that were scored, under the queries that were."""
    scores: Scores
    visible: Visible | None = None
    """How much of each text the model reads."""
    facts: Mapping[str, ModelFact] = field(default_factory=dict)
    """What the model says of itself."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Examples that were not scored, by reason."""


def run_origin(
    suite: Suite, model: str, settings: Mapping[str, Any], seed: int, inputs: Mapping[str, str] | None = None
) -> ArtifactOrigin:
    """What decides a run: `settings`, and hashes of `inputs`, beside suite, model and seed."""
    decisive = {"suite": suite.name, "model": model, **settings, "draws": DRAWS}
    return ArtifactOrigin("run", model, {"suite": suite.content, **(inputs or {})}, decisive, seed, REVISIONS["run"])


def record_run(
    suite: Suite,
    origin: ArtifactOrigin,
    out: Path,
    make: Callable[[], RunContent],
    *,
    reporter: Reporter,
    events: Sequence[str] = (),
) -> Artifact:
    """The run in the folder `out`; what it holds is made only if it is not there yet."""

    def write(folder: Path) -> OutputCounts:
        content = make()
        facts = split_facts(content.facts)
        scored = content.suite
        counts = write_run(
            scored, origin.name, content.scores, folder, seed=origin.seed, visible=content.visible, facts=facts.own
        )
        return OutputCounts(counts, content.left_out, facts.place)

    return write_once(out, origin, RUN_FILES, write, suite=suite.artifact.path, reporter=reporter, events=events)


def write_run(
    suite: Suite,
    model: str,
    scores: Scores,
    out: Path,
    *,
    seed: int,
    visible: Visible | None = None,
    facts: Mapping[str, ModelFact] | None = None,
) -> dict[str, int]:
    """Judge a suite by scores and write it all down; gives what there was of what.

    `visible` is how much of each text the model reads, `facts` what it says of itself.
    """
    results = judge_all(suite.examples, suite.controls, scores)
    if visible is not None:
        everything = zip(results, (*suite.examples, *suite.controls), strict=True)
        results = [replace(result, cut=sight(example, visible).cut) for result, example in everything]
    table = PairTable(model, suite.examples, suite.controls, results)
    summary = summarise(suite.name, table, seed=seed)
    main = results[: len(suite.examples)]
    audit = None if visible is None else audit_truncation(suite.examples, main, visible, seed=seed)
    summary = replace(summary, ties=tie_figures(suite.examples, scores, seed=seed), truncation=audit)
    write_jsonl(out / SCORES, _rows(scores))
    write_jsonl(out / EXAMPLES, results)
    if facts:
        write_text(out / MODEL, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    write_text(out / SUMMARY, adapter(RunSummary).dump_json(summary, indent=2).decode() + "\n")
    return {"examples": len(suite.examples), "controls": len(suite.controls), "pairs": len(scores)}


def _rows(scores: Scores) -> list[PairScore]:
    ids = {text: document_id(text) for _, text in scores}
    rows = [PairScore(query, ids[text], score) for (query, text), score in scores.items()]
    return sorted(rows, key=lambda row: (row.query, row.document))
