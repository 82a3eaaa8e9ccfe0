"""Runs of one suite whose every outcome is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.load import Run, Suite, load_run, load_suite, remember_suite
from constraintsuite.experiments.run import RunContent, write_run
from experiments.tiny_suite import make_example, write_suite


def make_examples(count: int, passages: int) -> list[Example]:
    """Examples that share their passages in turn; the first half is of MinPairs, the rest of ExplicitMention."""
    return [
        make_example(
            f"e{i:03}",
            "minpairs" if i < count / 2 else "explicit",
            (f"{i} without cream", f"{i} with cream", f"{i}"),
            (f"soup {i} with no cream", f"soup {i} with cream"),
            clusters=(f"p{i % passages}",),
        )
        for i in range(count)
    ]


def make_suite(folder: Path, count: int = 40, passages: int = 20, slice: str | None = None) -> Suite:
    """A suite of such examples, or of the same in one slice."""
    examples = make_examples(count, passages)
    return load_suite(write_suite(folder, [replace(e, slice=slice or e.slice) for e in examples], ()))


def make_run(suite: Suite, folder: Path, model: str, gaps: Sequence[tuple[float, float]]) -> Run:
    """A finished run in which example i has gaps[i] under its query and its opposite; no others are in it."""
    examples = suite.examples[: len(gaps)]
    scores = {}
    for example, (own, opposite) in zip(examples, gaps, strict=True):
        for role, query in example.queries.items():
            scores[query, example.satisfying.text] = {"query": own, "opposite": opposite}.get(role, 0.0)
            scores[query, example.violating.text] = 0.0
    counts = write_run(RunContent(Suite(suite.artifact, examples, ()), scores), model, folder, seed=0)
    remember_suite(folder, suite.artifact.path)
    finish(folder, ArtifactOrigin("run", model, {"suite": suite.content}, {}, 0, Revision(1)), counts, {}, 0.0)
    return load_run(folder)


RIGHT, WRONG, TIED = (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)
