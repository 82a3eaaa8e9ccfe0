"""One suite and one model give one run folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.evaluate.load import Suite, load_suite
from constraintsuite.evaluate.scoring import documents_of, pairs_of, score_pairs
from constraintsuite.evaluate.writing import RunContent, record_run, run_origin
from constraintsuite.execution.progress import Reporter
from constraintsuite.models.base import Describing, Scorer, Truncating, Workbench
from constraintsuite.models.naming import check_models, load_scorer
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.download import cache_folder
from constraintsuite.store.files import sha256_text

_LONGEST = 120
_SEPARATOR = re.compile(r"(?<=[\w.])(?:[:=|]?/+|[:,=|+ ]| > )(?=[\w.])", re.ASCII)


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
    origin = run_origin(loaded, scorer.name, {"scorer": scorer.fingerprint}, seed)
    return record_run(loaded, origin, out, lambda: _score(loaded, scorer), reporter=reporter, events=bench.events)


def _score(suite: Suite, scorer: Scorer) -> RunContent:
    pairs = pairs_of([*suite.examples, *suite.controls])
    scores = score_pairs(scorer, pairs)
    visible = dict(zip(pairs, scorer.visible(pairs).tolist(), strict=True)) if isinstance(scorer, Truncating) else None
    return RunContent(suite, scores, visible, scorer.describe() if isinstance(scorer, Describing) else {})


def _plain(name: str) -> str:
    """The name with only letters, digits, `.`, `_` and `-`, and never a hidden file or a way out of the folder.

    A name that is too long for a file, or of which more than separators had to go, gets a hash, so that others do not
    come to lie in the same place.
    """
    split = _SEPARATOR.sub("-", name)
    plain = re.sub(r"[^\w.-]+", "-", split, flags=re.ASCII).strip(".")
    if plain == split and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST] or 'unnamed'}-{sha256_text(name)[:8]}"
