"""A function as a model, evaluated from Python."""

from __future__ import annotations

import json
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.experiments.load import Suite
from constraintsuite.experiments.run import run_folder
from constraintsuite.experiments.scoring import Scores, documents_of, pairs_of, score_pairs
from constraintsuite.experiments.writing import RunContent, record_run, run_origin
from constraintsuite.models.base import Workbench
from constraintsuite.models.callable import PythonScorer
from constraintsuite.store.artifact import Artifact
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
    origin = run_origin(suite, called, {"scorer": _hash(scores)}, seed)
    content = RunContent(suite, scores, facts={"called": "from Python"})
    return record_run(suite, origin, folder, lambda: content, reporter=reporter)


def _own_name(function: object) -> str:
    named = getattr(function, "__name__", None) or type(function).__name__
    if not isinstance(named, str) or not named.isidentifier():  # a lambda is called <lambda>
        raise UserError('This function has no name that a run could go by. Give it one: evaluate(..., name="mine")')
    return named


def _hash(scores: Scores) -> str:
    return sha256_text(*(json.dumps([query, text, score]) for (query, text), score in sorted(scores.items())))
