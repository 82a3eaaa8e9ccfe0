"""One suite and one model give one run folder."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.evaluate.load import EXAMPLES, SUMMARY, Suite, load_suite, remember_suite
from constraintsuite.evaluate.outcomes import judge_all
from constraintsuite.evaluate.output import claimed_folder, clear_folder
from constraintsuite.evaluate.scoring import PairScore, document_id, documents_of, pairs_of, score_pairs
from constraintsuite.evaluate.summary import Summary, summarise
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.stage import code_version
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.models.base import Scorer
from constraintsuite.models.naming import check_models, load_scorer
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, write_jsonl

SCORES = "scores.jsonl"


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
    scorer = load_scorer(model, documents_of([*loaded.examples, *loaded.controls]))
    settings = {"suite": loaded.name, "model": scorer.name, "scorer": scorer.fingerprint, "draws": DRAWS}
    origin = Origin("run", scorer.name, {"suite": loaded.content}, settings, seed, code_version())
    with claimed_folder(out, "run", scorer.name) as manifest:
        remember_suite(out, suite)
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            reporter.note(f"{scorer.name}: {out} is up to date")
            return Artifact(out, manifest)
        clear_folder(out, (SCORES, EXAMPLES, SUMMARY))
        start = time.monotonic()
        counts = _write(loaded, scorer, out, reporter, seed)
        return finish(out, origin, counts, {}, time.monotonic() - start)


def _write(suite: Suite, scorer: Scorer, out: Path, reporter: Reporter, seed: int) -> dict[str, int]:
    scores = score_pairs(scorer, pairs_of([*suite.examples, *suite.controls]), reporter)
    ids = {text: document_id(text) for _, text in scores}
    rows = sorted((PairScore(query, ids[text], score) for (query, text), score in scores.items()), key=_place)
    results = judge_all(suite.examples, suite.controls, scores)
    main = list(zip(suite.examples, results[: len(suite.examples)], strict=True))
    controls = list(zip(suite.controls, results[len(suite.examples) :], strict=True))
    summary = summarise(suite.name, scorer.name, main, controls, seed=seed)
    write_jsonl(out / SCORES, rows)
    write_jsonl(out / EXAMPLES, results)
    write_text(out / SUMMARY, adapter(Summary).dump_json(summary, indent=2).decode() + "\n")
    return {"examples": len(suite.examples), "controls": len(suite.controls), "pairs": len(rows)}


def _place(row: PairScore) -> tuple[str, str]:
    return row.query, row.document


def _plain(name: str) -> str:
    """The name with only letters, digits, `.`, `_` and `-`, and never a hidden file or a way out of the folder."""
    return re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip(".") or "unnamed"
