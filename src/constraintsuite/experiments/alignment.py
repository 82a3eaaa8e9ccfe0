"""Runs side by side: the results of the same examples, in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.experiments.groupings import split_up
from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.rejudge import rejudge
from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.metrics.ties import STRICT, TieRule
from constraintsuite.records.examples import Example


@dataclass(frozen=True)
class Aligned:
    """Examples, and the results of several runs in the same order; the main examples come first."""

    examples: tuple[Example, ...]
    main: int
    results: Mapping[str, tuple[PairResult, ...]]

    def groups(self) -> dict[str, dict[str, list[int]]]:
        """Positions by grouping and group."""
        return split_up(self.examples[: self.main], self.examples[self.main :])


def align(suite: Suite, runs: Mapping[str, Run], rule: TieRule = STRICT) -> Aligned:
    """The results of runs of this suite under a rule for ties, of the examples that all of them have."""
    known = {name: {r.id: r for r in rejudge(run, suite, rule).results} for name, run in runs.items()}
    shared = set.intersection(*(set(results) for results in known.values()))
    main = [example for example in suite.examples if example.id in shared]
    examples = (*main, *(control for control in suite.controls if control.id in shared))
    if not main:
        raise UserError("These runs have no example in common, so there is nothing to compare.")
    return Aligned(examples, len(main), {n: tuple(found[e.id] for e in examples) for n, found in known.items()})


def name_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """The runs by model; where two have the same, also by as much of their folders' paths as tells them apart."""
    folders = [run.artifact.path.resolve() for run in runs]
    twice = next((folder for folder, count in Counter(folders).items() if count > 1), None)
    if twice is not None:
        raise UserError(f"{twice}: this run is named twice. Give each once.")
    named: dict[str, Run] = {}
    for run, folder in zip(runs, folders, strict=True):
        model = run.summary.model
        alike = [f for other, f in zip(runs, folders, strict=True) if other.summary.model == model]
        named[model if len(alike) == 1 else f"{model} ({_short_path(folder, alike)})"] = run
    return named


def _short_path(folder: Path, among: Sequence[Path]) -> str:
    """The end of a path that none of the others has: what stands before it depends on the machine."""
    for length in range(1, len(folder.parts)):
        if [other.parts[-length:] for other in among].count(folder.parts[-length:]) == 1:
            return "/".join(folder.parts[-length:])
    return str(folder)
