"""The functions that a user calls as `constraintsuite.NAME`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import getdoc
from pathlib import Path
from typing import Literal, Protocol

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.errors import UserError
from constraintsuite.execution.engine import LocalEngine
from constraintsuite.execution.progress import Reporter, Silent, Terminal
from constraintsuite.experiments.alignment import name_runs
from constraintsuite.experiments.compare import compare_runs
from constraintsuite.experiments.load import load_run as read_run
from constraintsuite.experiments.load import load_suite as read_suite
from constraintsuite.experiments.run import evaluate_suites
from constraintsuite.metrics.pairwise import parse_metric
from constraintsuite.metrics.ties import TiePolicy, TieRule
from constraintsuite.models import SCORERS
from constraintsuite.models.base import Pair, Workbench
from constraintsuite.notebook.comparison import Comparison
from constraintsuite.notebook.run import Run
from constraintsuite.notebook.scoring import evaluate_function
from constraintsuite.notebook.suite import Suite
from constraintsuite.reports.html import Extras, write_report
from constraintsuite.reports.tables import Column, Table
from constraintsuite.store.download import cache_folder
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.importers.importing import import_suite as import_into
from constraintsuite.suites.recipe import AnalysisSettings, Recipe, SizeSettings

Place = str | Path
Analyser = Literal["auto", "rules", "parser"]
_RECIPES = (".yaml", ".yml")


class HasScore(Protocol):
    """An object that gives each (query, text) pair a number."""

    def score(self, pairs: list[Pair], /) -> Sequence[float]:
        """One number a pair; higher means more relevant."""


Model = str | Callable[[list[Pair]], Sequence[float]] | HasScore
"""A model string such as `cross:FOLDER`, a function of (query, text) pairs, or an object with a method `score`."""


def load_suite(path: Place) -> Suite:
    """The suite in a folder."""
    return Suite(read_suite(Path(path)))


def load_run(path: Place) -> Run:
    """The run in a folder."""
    return Run(read_run(Path(path)))


def evaluate(
    model: Model,
    suite: Suite | Place,
    out: Place | None = None,
    *,
    name: str | None = None,
    seed: int = 0,
    quiet: bool = False,
) -> Run:
    """Score a suite with a model, into OUT/SUITE/MODEL as `csuite eval` does (OUT is `runs` if not given).

    What is there already is not computed again. `name` is what the run of a function goes by.
    """
    of = suite if isinstance(suite, Suite) else load_suite(suite)
    folder, reporter = Path("runs" if out is None else out), _reporter(quiet)
    if not isinstance(model, str):
        return Run(read_run(evaluate_function(model, name, of.stored, folder, reporter, seed).path), of)
    if name is not None:
        raise UserError(f"name={name!r}: a model string is its own name. Leave it out.")
    (artifact,) = evaluate_suites(of.path, [model], folder, reporter, seed)
    return Run(read_run(artifact.path), of)


def compare(
    *runs: Run | Place,
    metric: str | Sequence[str] = "accuracy",
    by: str | None = None,
    ties: TiePolicy = "strict",
    changed: int = 0,
) -> Comparison:
    """Paired tests of every pair of runs of one suite, overall and by group, with Holm's correction."""
    if len(runs) < 2:
        raise UserError("A comparison needs two runs or more.")
    given = [run if isinstance(run, Run) else load_run(run) for run in runs]
    metrics = [parse_metric(name) for name in ([metric] if isinstance(metric, str) else metric)]
    named = name_runs([run.stored for run in given])
    return Comparison(compare_runs(given[0].suite.stored, named, metrics, by=by, rule=TieRule(ties), changed=changed))


def build(
    source: Recipe | Place,
    out: Place,
    *,
    size: int | None = None,
    analyser: Analyser = "auto",
    seed: int = 0,
    workers: int = 1,
    quiet: bool = False,
) -> Suite:
    """Build a suite from a recipe (a .yaml file), or with defaults from a corpus: a file, a folder, or `sample`."""
    if isinstance(source, Recipe) or Path(source).suffix in _RECIPES:
        if size is not None or analyser != "auto" or seed:
            raise UserError("size, analyser, seed: give these in the recipe, not beside it.")
        recipe = source if isinstance(source, Recipe) else Recipe.read(Path(source))
    else:
        recipe = Recipe(
            corpus=SourceSettings(source=str(source)),
            analysis=AnalysisSettings(analyser=analyser),
            sizes=SizeSettings() if size is None else SizeSettings(main=size),
            seed=seed,
        )
    build_suite(recipe, Path(out), engine=LocalEngine(workers), reporter=_reporter(quiet))
    return load_suite(out)


def import_suite(kind: str, source: Place, out: Place, split: str | None = None) -> Suite:
    """Read another test set (nevir, excluir, beir, ...) as a suite."""
    artifact = import_into(kind, str(source), Path(out), split)
    if not artifact.manifest.counts.get("examples"):
        raise UserError(
            f"{out}: read, but it holds no pairs to compare, only a collection. Search it: csuite retrieve-eval {out}"
        )
    return load_suite(out)


def report(*runs: Run | Place, out: Place, ties: TiePolicy = "strict", quiet: bool = False) -> Path:
    """Write a page of runs of one suite, and its tables as files; gives the page's path."""
    if not runs:
        raise UserError("A report needs at least one run.")
    given = [run if isinstance(run, Run) else load_run(run) for run in runs]
    if any(run.is_slice for run in given):
        raise UserError("A page is of whole runs, and breaks them down by itself: give the run, not a slice of it.")
    bench = Workbench(cache=cache_folder() / "scores", reporter=_reporter(quiet))
    folders = [run.path for run in given]
    return write_report(given[0].suite.path, folders, Path(out), Extras(rule=TieRule(ties)), bench)


def models() -> Table:
    """The families of models that can be named."""
    rows = tuple((name, (getdoc(SCORERS.load(name)) or "").partition("\n")[0]) for name in SCORERS.names())
    return Table(
        "models", "Families of models; options follow after commas.", (Column("family"), Column("about")), rows
    )


def _reporter(quiet: bool) -> Reporter:
    return Silent() if quiet else Terminal()
