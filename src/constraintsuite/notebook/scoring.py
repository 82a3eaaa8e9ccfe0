"""A function as a model, evaluated from Python."""

from __future__ import annotations

import json
import time
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.evaluate.load import Suite, remember_suite
from constraintsuite.evaluate.output import claimed_folder, clear_folder
from constraintsuite.evaluate.run import run_folder
from constraintsuite.evaluate.scoring import Scores, documents_of, pairs_of, score_pairs
from constraintsuite.evaluate.writing import RUN_FILES, write_run
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.models.base import Workbench
from constraintsuite.models.callable import PythonScorer
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import sha256_text


def evaluate_function(
    function: object, name: str | None, suite: Suite, out: Path, reporter: Reporter, seed: int
) -> Artifact:
    """Call a function, or an object with a method `score`, on all pairs of a suite, and write its run under `out`.

    What a function closes over cannot be hashed, so it is always called; a run is renewed if a score changed.
    """
    called = f"python:{name or _own_name(function)}"
    everything = [*suite.examples, *suite.controls]
    bench = Workbench(documents_of(everything), None, reporter)
    scores = score_pairs(PythonScorer(called, function, "called from Python", bench), pairs_of(everything))
    folder = run_folder(out, suite.artifact.path.resolve().name, called)
    settings = {"suite": suite.name, "model": called, "scorer": _hash(scores), "draws": DRAWS}
    origin = Origin("run", called, {"suite": suite.content}, settings, seed, code_version())
    with claimed_folder(folder, "run", called) as manifest:
        remember_suite(folder, suite.artifact.path)
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            return Artifact(folder, manifest)
        clear_folder(folder, RUN_FILES)
        start = time.monotonic()
        counts = write_run(suite, called, scores, folder, seed=seed, facts={"called": "from Python"})
        return finish(folder, origin, counts, {}, time.monotonic() - start)


def _own_name(function: object) -> str:
    named = getattr(function, "__name__", None) or type(function).__name__
    if not isinstance(named, str) or not named.isidentifier():  # a lambda is called <lambda>
        raise UserError('This function has no name that a run could go by. Give it one: evaluate(..., name="mine")')
    return named


def _hash(scores: Scores) -> str:
    return sha256_text(*(json.dumps([query, text, score]) for (query, text), score in sorted(scores.items())))
