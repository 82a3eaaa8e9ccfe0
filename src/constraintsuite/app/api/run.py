"""Runs: evaluate a model, load a run, and write a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from constraintsuite.app.api.models import Model, evaluate_object
from constraintsuite.app.api.suite import FolderPath, Suite, choose_reporter, load_suite
from constraintsuite.app.pages.drawings.bars import bar_chart
from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.group_tables import group_table, grouping_of, groups_of
from constraintsuite.app.pages.run_report import Extras, write_report
from constraintsuite.app.pages.sections.behaviour import error_chart, gap_charts
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import say
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Table
from constraintsuite.core.statistics.pairwise import METRICS, parse_metric
from constraintsuite.core.statistics.ties import TiePolicy, TieRule
from constraintsuite.core.store.download import cache_folder
from constraintsuite.experiments import load
from constraintsuite.experiments.figures import GroupFigures
from constraintsuite.experiments.outcome_table import pick_grouping
from constraintsuite.experiments.pair_experiment import with_results
from constraintsuite.experiments.pairs import HEADLINE, group_examples
from constraintsuite.experiments.run import evaluate_suites
from constraintsuite.models.base import Workbench

_SHOWN = ("accuracy", "paired_accuracy")


class Run:
    """The results of a model on a suite; `slice` restricts them to some of the examples.

    `path` is the folder, `model` the model string, `summary` all figures, and `results` how each example came out.
    """

    def __init__(self, stored: load.Run, suite: Suite | None = None, *, is_slice: bool = False) -> None:
        self.stored = stored
        self.path = stored.artifact.path
        self.model = stored.summary.system
        self.summary = stored.summary
        self.results = stored.results
        self.is_slice = is_slice
        self._suite = suite

    @cached_property
    def suite(self) -> Suite:
        """The suite, loaded from where it was when the run was made."""
        return self._suite or Suite(load.load_suite(load.find_suite(self.path)))

    def figure(self, metric: str = "") -> Interval:
        """The headline with interval and n, or another metric on the same examples: all main slices but Omission."""
        return self.summary.headline.metrics[parse_metric(metric or self.summary.headline_metric).name]

    def table(self, by: str = "slice", metric: str = "") -> Table:
        """One metric, by default the headline metric, by slice, relation, cue, edit, ..."""
        return self._table(by, metric or self.summary.headline_metric)

    def slice(self, wanted: Mapping[str, str] | None = None, /, **more: str) -> Run:
        """The run on the examples that are in all these groups: `run.slice(slice="explicit", split="test")`."""
        stored = self.suite.stored
        everything = stored.all_examples
        groupings = group_examples(stored.examples, stored.controls)
        places = set(range(len(everything)))
        for by, value in {**(wanted or {}), **more}.items():
            groups = pick_grouping(groupings, by)
            if value not in groups:
                raise UserError(f"No group {value!r} in {by!r}. There are: {', '.join(groups)}.")
            places &= set(groups[value])
        return self._only({everything[place].id for place in places})

    def plot(self, metric: str = "", by: str = "slice") -> Drawing:
        """One metric, by default the headline metric, by group: bars with whiskers and a line at chance level."""
        shown = parse_metric(metric or self.summary.headline_metric)
        if not shown.share:
            raise UserError(f"{shown} is not a share, so bars from 0 to 100 % do not fit it. Use plot_gaps().")
        rows = [(key, group.metrics[shown.name]) for key, group in self._groups(by).items()]
        return bar_chart(f"plot-{shown.name}-{by}", f"{self.model}: {shown.title}, %, by {by}", rows, shown.chance)

    def plot_errors(self, by: str = "slice") -> Drawing:
        """The shares of right answers and of each class of error, by group."""
        groups = {k: g for k, g in self._groups(by).items() if g.metrics["correct"].n}
        return error_chart(f"plot-errors-{by}", f"{self.model}: error classes by {by}, %", groups)

    def plot_gaps(self) -> Drawing:
        """A histogram of the score gaps between the two documents."""
        charts = gap_charts({self.model: self.stored})
        if not charts:
            raise UserError(f"{self.model} gives all pairs the same score, so there is no gap to draw.")
        return charts[0]

    def __repr__(self) -> str:
        shares = ", ".join(f"{METRICS[name].title.lower()} {say(self.figure(name), 'share')}" for name in self._shown())
        return f"Run of {self.model} on {self.summary.suite}: {shares}"

    def _repr_html_(self) -> str:
        caption = f"{self.model} on {self.summary.suite}: with 95 % interval and number of examples."
        return replace(self._table("slice", *self._shown()), caption=caption)._repr_html_()

    def _table(self, by: str, *metrics: str) -> Table:
        keys = [*([HEADLINE] if by == "slice" else []), *groups_of([self.summary], by)]
        return group_table({self.model: self.stored}, by, *map(parse_metric, metrics), keys=keys)

    def _shown(self) -> list[str]:
        """The metrics of the short form, the headline metric first."""
        return sorted(_SHOWN, key=lambda name: name != self.summary.headline_metric)

    def _groups(self, by: str) -> Mapping[str, GroupFigures]:
        if by == HEADLINE:
            return {self.model: self.summary.headline}
        found = grouping_of(self.summary, by)
        return {key: found[key] for key in groups_of([self.summary], by)}

    def _only(self, ids: set[str]) -> Run:
        results = [result for result in self.results if result.id in ids]
        if not results:
            raise UserError("No example is in all of these groups.")
        part = with_results(self.stored, self.suite.stored, results, self.summary.rule)
        return Run(part, self.suite, is_slice=True)


def load_run(path: FolderPath) -> Run:
    """Read the run in a folder, to look at its results or to compare it with others.

    Returns a `Run`. Raises `UserError` if the folder holds no finished run, or one that was changed since.

        >>> cs.load_run("runs/ours/bm25").figure("paired_accuracy")
    """
    return Run(load.load_run(Path(path)))


def evaluate(
    model: Model,
    suite: Suite | FolderPath,
    out: FolderPath | None = None,
    *,
    name: str | None = None,
    seed: int = 0,
    quiet: bool = False,
) -> Run:
    """Score every example of a suite with a model, to see how often it ranks the right document first.

    `model` is a model string, such as "bm25" or "cross:FOLDER" (`list_models` has them); or a function that takes a
    list of (query, text) pairs and returns a number for each; or an object with a method `score(pairs)`,
    `predict(pairs)` or `encode(texts)`, such as a CrossEncoder or SentenceTransformer of sentence-transformers. Vectors
    are compared by the similarity that the object states, or else by cosine. `suite` is a suite or its folder. `name`
    is the run's name where the model is not a string; by default what the object calls itself, or its class. `seed` is
    for the bootstrap.

    Returns a `Run`, and writes it to the folder OUT/SUITE/MODEL as `csuite eval` does (OUT is `runs` if not given). A
    model string that was evaluated there before is not computed again; a function or object is always called.

        >>> run = cs.evaluate("bm25", "suites/ours")
        >>> run = cs.evaluate(CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2"), "suites/ours")
        >>> run.table(by="relation")
    """
    of = suite if isinstance(suite, Suite) else load_suite(suite)
    folder, reporter = Path("runs" if out is None else out), choose_reporter(quiet)
    if not isinstance(model, str):
        return Run(load.load_run(evaluate_object(model, name, of.stored, folder, reporter, seed).path), of)
    if name is not None:
        raise UserError(f"name={name!r}: a model string is its own name. Leave it out.")
    (artifact,) = evaluate_suites(of.path, [model], folder, reporter, seed)
    return Run(load.load_run(artifact.path), of)


def as_run(run: Run | FolderPath) -> Run:
    """A run as it is, or the one in a folder."""
    return run if isinstance(run, Run) else load_run(run)


def report(*runs: Run | FolderPath, out: FolderPath, ties: TiePolicy = "strict", quiet: bool = False) -> Path:
    """Write a page about runs of one suite, with its tables as files, to share or to put into a paper.

    `runs` are runs or their folders; `out` is the folder to create; `ties` says what equal scores count. Returns the
    path of the page, `index.html`, which needs nothing else; `tables/` next to it has CSV, JSON, Markdown and LaTeX.

        >>> cs.report(run, "runs/ours/bm25", out="report")
    """
    if not runs:
        raise UserError("A report needs at least one run.")
    given = [as_run(run) for run in runs]
    if any(run.is_slice for run in given):
        raise UserError("A page shows complete runs, and breaks them down by itself. Give the run, not a slice of it.")
    bench = Workbench(cache=cache_folder() / "scores", reporter=choose_reporter(quiet))
    folders = [run.path for run in given]
    return write_report(given[0].suite.path, folders, Path(out), Extras(rule=TieRule(ties)), bench)
