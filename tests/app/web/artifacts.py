"""One small artifact of each kind that other commands leave in a folder, made by their own code."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.mechanism.circuits.records import CircuitSettings
from constraintsuite.mechanism.circuits.search import find_circuit
from constraintsuite.mechanism.drift.checkpoints import name_checkpoints
from constraintsuite.mechanism.drift.drift import DriftSettings, measure_drift
from constraintsuite.mechanism.explain.request import AnalysisScope
from constraintsuite.memory.folder import write_memory
from constraintsuite.tuning.curves import Selected, TrainingCurvePoint
from constraintsuite.vectors.ann.run import run_benchmark
from constraintsuite.vectors.ann.settings import AnnBenchmark
from constraintsuite.vectors.relevance import make_relevance
from mechanism.analyses import attribute
from mechanism.drift.moving import make_checkpoints, make_soup_suite
from mechanism.planted import planted_contrasts
from memory.runs.made_outcomes import made_run, outcomes
from memory.tiny_parts import part
from tiny_bundle import make_bundle

BENCH = {
    "name": "tiny",
    "k": [5],
    "data": [
        {"name": "points", "format": "synthetic", "kind": "clustered", "rows": 100, "queries": 10, "dimensions": 8}
    ],
    "protocol": {"modes": ["batch"], "repeats": 1, "min_seconds": 0, "warmup": 0},
    "engines": [{"engine": "coded", "build": {"code": ["binary"]}, "rerank": [1, 4]}],
}
FEW = CircuitSettings(size=1, chance=20, band=0, parts=1, random_models=0)


def make_artifacts(folder: Path) -> None:
    """`explained` with the circuit `one`, `moved`, `memory`, `remembered`, `ann`, `bundle` and `tuned`."""
    first, second = make_checkpoints(folder / "models")
    write_jsonl(folder / "contrasts.jsonl", planted_contrasts(8))
    scope = AnalysisScope(sites=("head", "mlp"))
    attribute(folder / "contrasts.jsonl", f"cross:{first},threads=1", folder / "explained", scope, Silent())
    find_circuit(folder / "explained", FEW, name="one")
    checkpoints = name_checkpoints([str(first), str(second)], "threads=1,backend=torch")
    soups = make_soup_suite(folder / "soups", 8)
    measure_drift(checkpoints, [soups], folder / "moved", DriftSettings(top=3, limit=8), Silent())
    lease = part("lease", ["late rent means a penalty", "see below"], [("lease:2", "notice:1", "refers_to")])
    write_memory(folder / "memory", [lease, part("notice", ["fourteen days", "the end"])], name="papers")
    made_run(folder / "remembered", [*outcomes("lexical_baseline", "10" * 10), *outcomes("ppr", "11" * 10)])
    run_benchmark(AnnBenchmark.model_validate(BENCH), folder, folder / "ann", Silent())
    make_relevance(make_bundle(folder))
    _make_training(folder / "tuned")


def _make_training(folder: Path) -> None:
    """As a training ends, without its weights, which no page reads."""
    points = [
        TrainingCurvePoint(
            0, "rule" if at else "start", at, at, 10 * at, f"c{at}", "dev", "overall", "accuracy", value, 0.1, 1.0, 8
        )
        for at, value in enumerate((0.5, 0.75, 0.875))
    ]
    chosen = Selected(0, "rule", 2, "c2", "dev accuracy overall", 0.875)
    write_jsonl(folder / "curves.jsonl", points)
    write_text(folder / "selected.json", json.dumps([asdict(chosen)]))
    write_text(folder / "recipe.json", '{"name": "tuned"}\n')
    counts = {"checkpoints": 3, "points": 3, "rule lists": 120}
    finish(folder, ArtifactOrigin("tune", "tuned", {}, {}, 0, Revision(1)), counts, {"rule too_long": 3}, 1.0)
