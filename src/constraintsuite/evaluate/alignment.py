"""Runs side by side: the results of the same examples, in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.evaluate.groupings import split_up
from constraintsuite.evaluate.load import Run, Suite
from constraintsuite.evaluate.rejudge import rejudge
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
    for run in runs.values():
        if run.artifact.manifest.inputs.get("suite") != suite.content:
            raise UserError(
                f"{run.artifact.path}: this run is of another suite ({run.summary.suite}) than {suite.artifact.path}, "
                "or of an earlier state of it. Run `csuite eval` on it again."
            )
    known = {name: {r.id: r for r in rejudge(run, suite, rule).results} for name, run in runs.items()}
    shared = set.intersection(*(set(results) for results in known.values()))
    main = [example for example in suite.examples if example.id in shared]
    examples = (*main, *(control for control in suite.controls if control.id in shared))
    if not main:
        raise UserError("These runs have no example in common, so there is nothing to compare.")
    return Aligned(examples, len(main), {n: tuple(found[e.id] for e in examples) for n, found in known.items()})


def name_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """The runs by model, or by model and folder where two have the same model."""
    models = Counter(run.summary.model for run in runs)
    names = [
        run.summary.model if models[run.summary.model] == 1 else f"{run.summary.model} ({run.artifact.path})"
        for run in runs
    ]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UserError(f"{repeated[0]}: this run is named twice. A comparison is of different runs.")
    return dict(zip(names, runs, strict=True))


def refuse_other_suites(runs: Sequence[Run]) -> None:
    """Runs of different suites, or of different states of one, cannot be compared."""
    first = runs[0]
    for run in runs[1:]:
        if run.artifact.manifest.inputs.get("suite") != first.artifact.manifest.inputs.get("suite"):
            same = ", in another state" if run.summary.suite == first.summary.suite else ""
            raise UserError(
                f"{first.artifact.path} is a run of the suite {first.summary.suite!r} and {run.artifact.path} one of "
                f"{run.summary.suite!r}{same}. Only runs of the same suite can be compared: run `csuite eval` again."
            )
