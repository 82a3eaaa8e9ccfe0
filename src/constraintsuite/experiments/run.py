"""One suite and one model give one run folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.engine import Engine, LocalEngine
from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.execution.spread import UNWORKABLE
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.experiments.scoring import documents_of, pairs_of
from constraintsuite.experiments.shards import Scored, plan_shards, score_cache, score_shards
from constraintsuite.experiments.writing import RunContent, record_run, run_origin
from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import check_models, load_scorer
from constraintsuite.models.process_cache import holding
from constraintsuite.models.worker_spec import send_model
from constraintsuite.store.artifact import STAGES, Artifact
from constraintsuite.store.files import sha256_text

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
    sent = send_model(model, scorer, engine)
    origin = run_origin(loaded, scorer.name, {"scorer": sent.fingerprint}, seed)

    def score() -> RunContent:
        with holding(sent.name, sent.fingerprint, scorer, bench):
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
        raise UserError("The model breaks at a pair of every example, so there is nothing to evaluate.")
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
