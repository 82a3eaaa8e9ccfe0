"""A suite to look at, and how to get one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from html import escape
from pathlib import Path

from constraintsuite.errors import UserError, hint_for
from constraintsuite.execution.engine import LocalEngine
from constraintsuite.experiments import load
from constraintsuite.experiments.groupings import pick, split_up
from constraintsuite.notebook.example import Example
from constraintsuite.notebook.places import FolderPath, choose_reporter
from constraintsuite.notebook.recipes import AnalyserName, choose_recipe
from constraintsuite.records.tables import Column, Table
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.grouped import in_order
from constraintsuite.reports.sections.dataset import difference_charts
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.importers import folder as imported
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.views.dataset import length_table, view_dataset


class Suite:
    """A suite folder: `len`, iteration and `suite[id]` are over its examples, each of which shows itself as a card."""

    def __init__(self, stored: load.Suite) -> None:
        self.stored = stored

    @property
    def path(self) -> Path:
        """The folder."""
        return self.stored.artifact.path

    @property
    def name(self) -> str:
        """The name it was built under."""
        return self.stored.name

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The main examples."""
        return tuple(map(Example, self.stored.examples))

    @cached_property
    def controls(self) -> tuple[Example, ...]:
        """Examples whose change must not change an answer, and examples that only look like a negation."""
        return tuple(map(Example, self.stored.controls))

    def table(self, by: str = "slice") -> Table:
        """How many examples are in each group of a grouping."""
        groups = pick(split_up(self.stored.examples, self.stored.controls), by)
        rows = tuple((group, len(groups[group])) for group in in_order(by, groups))
        return Table(f"examples_by_{by}", f"{self.name}: examples by {by}.", (Column(by), Column("n", "count")), rows)

    def lengths(self) -> Table:
        """Mean lengths of queries and documents in words, by split."""
        return length_table(view_dataset(self.stored.examples))

    def differences(self) -> tuple[Drawing, ...]:
        """Histograms of the words in which the two queries, and the two documents, of an example differ."""
        return tuple(difference_charts(view_dataset(self.stored.examples)))

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    def __getitem__(self, id: str) -> Example:
        """The example or control of that id."""
        if id not in self._by_id:
            raise UserError(f"No example {id!r} in {self.name}. {hint_for(id, self._by_id, '')}".rstrip())
        return self._by_id[id]

    def __repr__(self) -> str:
        return f"Suite {self.name}: {len(self.examples):,} examples, {len(self.controls):,} controls ({self.path})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.table()._repr_html_()}"

    @cached_property
    def _by_id(self) -> dict[str, Example]:
        return {example.id: example for example in (*self.examples, *self.controls)}


def load_suite(path: FolderPath) -> Suite:
    """Read the suite in a folder, to look at its examples or to evaluate models on it.

    Returns a `Suite`. A folder that holds no finished suite, or one that was changed since, is a `UserError`.

        >>> suite = cs.load_suite("suites/ours")
        >>> suite.examples[0]  # a card with the query and its two documents
    """
    return Suite(load.load_suite(Path(path)))


def build(
    source: Recipe | FolderPath,
    out: FolderPath,
    *,
    size: int | None = None,
    analyser: AnalyserName = "auto",
    seed: int = 0,
    approved: FolderPath | None = None,
    workers: int = 1,
    quiet: bool = False,
) -> Suite:
    """Build a suite of negation tests from your documents, as `csuite build` does.

    `source` is a recipe (a .yaml file or a `Recipe`), or a corpus that is built with defaults: a file, a folder,
    `irds:ID`, `hf:OWNER/NAME`, or `sample` for the bundled one. For a corpus, `size` limits the number of main examples,
    and `analyser` and `seed` are set here; a recipe has them in its file. `approved` is a file of proposals that a
    person has judged (see `propose`): only accepted ones are built. `workers` is the number of processes.

    Writes the suite to the folder `out` and returns it. An interrupted build resumes after the last finished stage.

        >>> suite = cs.build("docs.jsonl", "suites/ours", size=500)
    """
    recipe = choose_recipe(source, analyser, seed, size)
    if approved is not None:
        recipe = recipe.model_copy(update={"approved": Path(approved)})
    build_suite(recipe, Path(out), engine=LocalEngine(workers), reporter=choose_reporter(quiet))
    return load_suite(out)


def import_suite(kind: str, source: FolderPath, out: FolderPath, split: str | None = None) -> Suite:
    """Read another test set as a suite, so that models can be evaluated on it with the same metrics and tests.

    `kind` is its format, such as `nevir`, `excluir` or `beir`; `source` its file or folder, or its repository on the
    hub; `split` the split to read, where it has several. Writes the suite to the folder `out` and returns it. A set
    without pairs of documents to compare is a `UserError`.

        >>> suite = cs.import_suite("nevir", "orionweller/NevIR", "suites/nevir", split="test")
    """
    artifact = imported.import_suite(kind, str(source), Path(out), split)
    if not artifact.manifest.counts.get("examples"):
        raise UserError(
            f"{out}: read, but it holds no pairs to compare, only a collection. Search it: csuite retrieve-eval {out}"
        )
    return load_suite(out)
