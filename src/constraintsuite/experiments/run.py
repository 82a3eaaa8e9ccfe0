"""One suite and one model give one run folder: every score, every result, every figure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.execution.shard_runs import UNWORKABLE
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import STAGES, Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text, write_text
from constraintsuite.core.store.jsonl import write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.load import EXAMPLES, MODEL, SCORES, SUMMARY, Suite, load_suite
from constraintsuite.experiments.output import OutputCounts, split_facts, write_once
from constraintsuite.experiments.pair_experiment import tie_figures
from constraintsuite.experiments.pairs import PairTable
from constraintsuite.experiments.scoring import PairScore, Scores, document_id, documents_of, judge_all, pairs_of
from constraintsuite.experiments.shards import Scored, plan_shards, score_cache, score_shards
from constraintsuite.experiments.summary import Visible, audit_truncation, find_truncation, summarise
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.model_names import check_models, load_scorer
from constraintsuite.models.worker_model import make_worker_spec, preloaded

_ALONE = LocalEngine()
_LONGEST = 120
_SHOWN = 5
_SEPARATOR = re.compile(r"(?<=[\w.])(?:[:=|]?/+|[:,=|+ ]| > )(?=[\w.])", re.ASCII)


def run_folder(out: Path, suite: str, model: str) -> Path:
    """Where the run of a model on a suite goes: `out/<suite>/<model>`, each made a plain file name."""
    return out / plain_name(suite) / plain_name(model)


def evaluate_suites(
    suite: Path, models: Sequence[str], out: Path, reporter: Reporter, seed: int = 0, engine: Engine = _ALONE
) -> list[Artifact]:
    """The runs of several models on a suite, each in its own folder under `out`; wrong names fail before any work."""
    check_models(models)
    Artifact.open(suite, "suite")
    name = suite.resolve().name
    return [
        evaluate_suite(suite, model, run_folder(out, name, model), reporter, seed, engine)
        for model in dict.fromkeys(models)
    ]


def evaluate_suite(
    suite: Path, model: str, out: Path, reporter: Reporter, seed: int = 0, engine: Engine = _ALONE
) -> Artifact:
    """Score a suite with a model into the folder `out`; if that is done already, nothing is computed.

    The seed is that of the resampling behind the intervals; scores do not depend on it, nor on who scores.
    """
    loaded = load_suite(suite)
    everything = [*loaded.examples, *loaded.controls]
    bench = Workbench(documents_of(everything), score_cache(), reporter)
    scorer = load_scorer(model, bench)
    shards = plan_shards(pairs_of(everything), scorer)
    if len(shards) > 1:  # then the shards are counted, and not what is done within one
        bench = replace(bench, reporter=Silent())
        scorer = load_scorer(model, bench)
    sent = make_worker_spec(model, scorer, engine)
    origin = run_origin(loaded, scorer.name, {"scorer": sent.fingerprint}, seed)

    def score() -> RunContent:
        with preloaded(sent, scorer, bench):
            scored = score_shards(shards, sent, scorer, out / STAGES, engine, reporter)
        bench.events[:] = scored.events
        return _content(loaded, scored, reporter)

    return record_run(loaded, origin, out, score, reporter=reporter, events=bench.events)


def _content(suite: Suite, scored: Scored, reporter: Reporter) -> RunContent:
    """What could be scored; examples of which a pair breaks the model are left out, and named."""
    everything = (*suite.examples, *suite.controls)
    lost = [example.id for example in everything if any(pair not in scored.scores for pair in pairs_of([example]))]
    if not lost:
        return RunContent(suite, scored.scores, scored.visible, scored.facts)
    shown = ", ".join(lost[:_SHOWN]) + (", ..." if len(lost) > _SHOWN else "")
    many = "1 example is" if len(lost) == 1 else f"{len(lost):,} examples are"
    reporter.note(f"{many} left out, since the model breaks at a pair of theirs: {shown}")
    examples, controls = (
        tuple(each for each in part if each.id not in set(lost)) for part in (suite.examples, suite.controls)
    )
    if not examples:
        raise UserError("The model fails on a pair of every example, so there is nothing to evaluate. Check the model.")
    scores = {pair: scored.scores[pair] for pair in pairs_of([*examples, *controls])}
    return RunContent(
        Suite(suite.artifact, examples, controls), scores, scored.visible, scored.facts, {UNWORKABLE: len(lost)}
    )


def plain_name(name: str) -> str:
    """The name with only letters, digits, `.`, `_` and `-`, and never a hidden file or a way out of the folder.

    A name that is too long for a file, or of which more than separators had to go, gets a hash, so that others do not
    come to lie in the same place.
    """
    split = _SEPARATOR.sub("-", name)
    plain = re.sub(r"[^\w.-]+", "-", split, flags=re.ASCII).strip(".")
    if plain == split and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST] or 'unnamed'}-{sha256_text(name)[:8]}"


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
        if facts.own:
            write_text(folder / MODEL, json.dumps(facts.own, indent=2, ensure_ascii=False) + "\n")
        counts = write_run(content, origin.name, folder, seed=origin.seed)
        return OutputCounts(counts, content.left_out, facts.place)

    return write_once(out, origin, RUN_FILES, write, suite=suite.artifact.path, reporter=reporter, events=events)


def write_run(content: RunContent, model: str, out: Path, *, seed: int) -> dict[str, int]:
    """Judge a suite by scores and write scores, results and figures; gives what there was of what."""
    suite, scores, visible = content.suite, content.scores, content.visible
    results = judge_all(suite.examples, suite.controls, scores)
    if visible is not None:
        everything = zip(results, (*suite.examples, *suite.controls), strict=True)
        results = [replace(result, cut=find_truncation(example, visible).cut) for result, example in everything]
    table = PairTable(model, suite.examples, suite.controls, results)
    main = results[: len(suite.examples)]
    summary = replace(
        summarise(suite.name, table, seed=seed),
        ties=tie_figures(suite.examples, scores, seed=seed),
        truncation=None if visible is None else audit_truncation(suite.examples, main, visible, seed=seed),
    )
    write_jsonl(out / SCORES, _rows(scores))
    write_jsonl(out / EXAMPLES, results)
    write_json(out / SUMMARY, summary)
    return {"examples": len(suite.examples), "controls": len(suite.controls), "pairs": len(scores)}


def _rows(scores: Scores) -> list[PairScore]:
    ids = {text: document_id(text) for _, text in scores}
    rows = [PairScore(query, ids[text], score) for (query, text), score in scores.items()]
    return sorted(rows, key=lambda row: (row.query, row.document))
