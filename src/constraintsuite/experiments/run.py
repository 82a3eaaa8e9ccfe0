"""Score a suite with models: one run folder per model, with every score, every result and every figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError, first_of
from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.execution.shard_runs import UNWORKABLE
from constraintsuite.core.records.examples import SPLITS
from constraintsuite.core.statistics.pairwise import Scores, Visible, judge_all
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import STAGES, Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.load import EXAMPLES, MODEL, SCORES, SUMMARY, Suite, load_suite, restrict_to_splits
from constraintsuite.experiments.output import OutputCounts, split_facts, write_once
from constraintsuite.experiments.pairs import PairTable
from constraintsuite.experiments.scoring import (
    PairScore,
    ScoredPairs,
    document_id,
    documents_of,
    pairs_of,
    plan_shards,
    score_cache,
    score_shards,
)
from constraintsuite.experiments.summary import audit_truncation, find_truncation, summarise, tie_figures
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.model_names import check_models, load_scorer
from constraintsuite.models.worker_model import make_worker_spec, model_in_cache

_THIS_PROCESS = LocalEngine()
_MAX_LENGTH = 120  # of a file name
_SHOWN = 5
_SEPARATOR = re.compile(r"(?<=[\w.])(?:[:=|]?/+|[:,=|+ ]| > )(?=[\w.])", re.ASCII)


def run_folder(out: Path, suite: str, model: str) -> Path:
    """The folder of the run of a model on a suite: `out/SUITE/MODEL`, both turned into plain file names."""
    return out / plain_name(suite) / plain_name(model)


def plain_name(name: str) -> str:
    """A file name of letters, digits, `.`, `_` and `-` that is neither hidden nor leads out of its folder.

    A name that is too long, or loses more than separators, ends in a hash. So two names never share a file name.
    """
    split = _SEPARATOR.sub("-", name)
    plain = re.sub(r"[^\w.-]+", "-", split, flags=re.ASCII).strip(".")
    if plain == split and len(plain) <= _MAX_LENGTH:
        return plain
    return f"{plain[:_MAX_LENGTH] or 'unnamed'}-{sha256_text(name)[:8]}"


def suite_name(suite: Path, splits: Sequence[str] = ()) -> str:
    """The name of a suite, or of some splits of it, in the folders of runs."""
    return "-".join([suite.resolve().name, *(split for split in SPLITS if split in splits)])


def evaluate_suites(
    suite: Path,
    models: Sequence[str],
    out: Path,
    reporter: Reporter,
    seed: int = 0,
    engine: Engine = _THIS_PROCESS,
    splits: Sequence[str] = (),
) -> list[Artifact]:
    """Score a suite with several models, one folder per model under `out`. Wrong names fail before any work."""
    check_models(models)
    Artifact.open(suite, "suite")
    name = suite_name(suite, splits)
    return [
        evaluate_suite(suite, model, run_folder(out, name, model), reporter, seed, engine, splits)
        for model in dict.fromkeys(models)
    ]


def evaluate_suite(
    suite: Path,
    model: str,
    out: Path,
    reporter: Reporter,
    seed: int = 0,
    engine: Engine = _THIS_PROCESS,
    splits: Sequence[str] = (),
) -> Artifact:
    """Score a suite, or only some splits of it, with a model into the folder `out`, unless the finished run is already there.

    The seed is for the resampling of the intervals. Scores depend neither on it nor on the engine.
    """
    loaded = restrict_to_splits(load_suite(suite), splits or SPLITS)
    bench = Workbench(documents_of(loaded.all_examples), score_cache(), reporter)
    scorer = load_scorer(model, bench)
    shards = plan_shards(pairs_of(loaded.all_examples), scorer)
    if len(shards) > 1:  # the progress bar counts shards, so the model must not show its own
        bench = replace(bench, reporter=Silent())
        scorer = load_scorer(model, bench)
    spec = make_worker_spec(model, scorer, engine)
    restricted = {"splits": sorted(set(splits))} if splits else {}
    origin = run_origin(loaded, scorer.name, {"scorer": spec.fingerprint, **restricted}, seed)

    def score() -> RunContent:
        with model_in_cache(spec, scorer, bench):
            scored = score_shards(shards, spec, scorer, out / STAGES, engine, reporter)
        bench.events[:] = scored.events
        return _leave_out_failures(loaded, scored, reporter)

    return record_run(loaded, origin, out, score, reporter=reporter, events=bench.events)


@dataclass(frozen=True)
class RunContent:
    """Everything that a run folder is made from."""

    suite: Suite
    """With only those examples and queries that were scored."""
    scores: Scores
    visible: Visible | None = None
    facts: Mapping[str, ModelFact] = field(default_factory=dict)
    """What the model reports about itself."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of examples that were not scored, by reason."""


def _leave_out_failures(suite: Suite, scored: ScoredPairs, reporter: Reporter) -> RunContent:
    """The content of a run without examples that have a pair at which the model failed; a note names them."""
    lost = [one.id for one in suite.all_examples if any(pair not in scored.scores for pair in pairs_of([one]))]
    if not lost:
        return RunContent(suite, scored.scores, scored.visible, scored.facts)
    many = "1 example is" if len(lost) == 1 else f"{len(lost):,} examples are"
    reporter.note(
        f"{many} left out, because the model fails on one of their pairs: {', '.join(first_of(lost, _SHOWN))}"
    )
    kept = suite.without(set(lost))
    if not kept.examples:
        raise UserError("The model fails on a pair of every example, so there is nothing to evaluate. Check the model.")
    scores = {pair: scored.scores[pair] for pair in pairs_of(kept.all_examples)}
    return RunContent(kept, scores, scored.visible, scored.facts, {UNWORKABLE: len(lost)})


def run_origin(
    suite: Suite, model: str, settings: Mapping[str, Any], seed: int, inputs: Mapping[str, str] | None = None
) -> ArtifactOrigin:
    """The origin of a run: suite, model and seed, further `settings`, and the hashes of further `inputs`."""
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
    """Write the run that `make` gives into the folder `out`, unless the finished run is already there."""

    def write(folder: Path) -> OutputCounts:
        content = make()
        facts = split_facts(content.facts)
        if facts.own:
            write_json(folder / MODEL, facts.own)
        counts = write_run(content, origin.name, folder, seed=origin.seed)
        return OutputCounts(counts, content.left_out, facts.place)

    files = (SCORES, EXAMPLES, SUMMARY, MODEL)
    return write_once(out, origin, files, write, suite=suite.artifact.path, reporter=reporter, events=events)


def write_run(content: RunContent, model: str, out: Path, *, seed: int) -> dict[str, int]:
    """Write scores, results and figures; returns how many examples, controls and pairs there are."""
    suite, scores, visible = content.suite, content.scores, content.visible
    results = judge_all(suite.examples, suite.controls, scores)
    if visible is not None:
        pairs = zip(results, suite.all_examples, strict=True)
        results = [replace(result, cut=find_truncation(example, visible).cut) for result, example in pairs]
    table = PairTable(model, suite.examples, suite.controls, results)
    main = results[: len(suite.examples)]
    summary = replace(
        summarise(suite.name, table, seed=seed),
        ties=tie_figures(suite.examples, scores, seed=seed),
        truncation=None if visible is None else audit_truncation(suite.examples, main, visible, seed=seed),
    )
    ids = {text: document_id(text) for _, text in scores}
    rows = [PairScore(query, ids[text], score) for (query, text), score in scores.items()]
    rows.sort(key=lambda row: (row.query, row.document))
    write_jsonl(out / SCORES, rows)
    write_jsonl(out / EXAMPLES, results)
    write_json(out / SUMMARY, summary)
    return {"examples": len(suite.examples), "controls": len(suite.controls), "pairs": len(scores)}
