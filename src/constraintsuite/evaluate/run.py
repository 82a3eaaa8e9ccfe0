"""One suite and one model give one run folder."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.evaluate.load import Suite, load_suite, remember_suite
from constraintsuite.evaluate.output import claimed_folder, clear_folder
from constraintsuite.evaluate.scoring import documents_of, pairs_of, score_pairs
from constraintsuite.evaluate.writing import RUN_FILES, write_run
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.models.base import Describing, Scorer, Truncating, Workbench
from constraintsuite.models.naming import check_models, load_scorer
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.download import cache_folder


def run_folder(out: Path, suite: str, model: str) -> Path:
    """Where the run of a model on a suite goes: `out/<suite>/<model>`, each made a plain file name."""
    return out / _plain(suite) / _plain(model)


def evaluate_suites(suite: Path, models: Sequence[str], out: Path, reporter: Reporter, seed: int = 0) -> list[Artifact]:
    """The runs of several models on a suite, each in its own folder under `out`; wrong names fail before any work."""
    check_models(models)
    Artifact.open(suite, "suite")
    name = suite.resolve().name
    return [
        evaluate_suite(suite, model, run_folder(out, name, model), reporter, seed) for model in dict.fromkeys(models)
    ]


def evaluate_suite(suite: Path, model: str, out: Path, reporter: Reporter, seed: int = 0) -> Artifact:
    """Score a suite with a model into the folder `out`; if that is done already, nothing is computed.

    The seed is that of the resampling behind the intervals; scores do not depend on it.
    """
    loaded = load_suite(suite)
    bench = Workbench(documents_of([*loaded.examples, *loaded.controls]), cache_folder() / "scores", reporter)
    scorer = load_scorer(model, bench)
    settings = {"suite": loaded.name, "model": scorer.name, "scorer": scorer.fingerprint, "draws": DRAWS}
    origin = Origin("run", scorer.name, {"suite": loaded.content}, settings, seed, code_version())
    with claimed_folder(out, "run", scorer.name) as manifest:
        remember_suite(out, suite)
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            reporter.note(f"{scorer.name}: {out} is up to date")
            return Artifact(out, manifest)
        clear_folder(out, RUN_FILES)
        start = time.monotonic()
        counts = _write(loaded, scorer, out, seed)
        return finish(out, origin, counts, {}, time.monotonic() - start, bench.events)


def _write(suite: Suite, scorer: Scorer, out: Path, seed: int) -> dict[str, int]:
    pairs = pairs_of([*suite.examples, *suite.controls])
    scores = score_pairs(scorer, pairs)
    visible = dict(zip(pairs, scorer.visible(pairs).tolist(), strict=True)) if isinstance(scorer, Truncating) else None
    facts = scorer.describe() if isinstance(scorer, Describing) else None
    return write_run(suite, scorer.name, scores, out, seed=seed, visible=visible, facts=facts)


def _plain(name: str) -> str:
    """The name with only letters, digits, `.`, `_` and `-`, and never a hidden file or a way out of the folder."""
    return re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip(".") or "unnamed"
