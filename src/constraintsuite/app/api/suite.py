"""Suites and their examples: build, import or load a suite."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import Literal

from constraintsuite.app.pages.drawings.svg import Drawing, page_colours
from constraintsuite.app.pages.example_cards import ShownExample, show_documents
from constraintsuite.app.pages.group_tables import in_order
from constraintsuite.app.pages.marks import Segment
from constraintsuite.app.pages.page import make_environment, read_template
from constraintsuite.app.pages.sections.suite import difference_charts
from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Reporter, Silent, Terminal
from constraintsuite.core.records import examples
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.experiments import load
from constraintsuite.experiments.outcome_table import pick_grouping
from constraintsuite.experiments.pairs import group_examples
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.constraints.base import BUILDERS
from constraintsuite.suites.importers import folder as imported
from constraintsuite.suites.recipe import AnalysisSettings, Recipe, SizeSettings
from constraintsuite.suites.views.dataset import length_table, view_dataset

FolderPath = str | Path
"""A file or folder."""


def choose_reporter(quiet: bool) -> Reporter:
    """A reporter that shows progress on stderr, or nothing."""
    return Silent() if quiet else Terminal()


AnalyserName = Literal["auto", "rules", "parser"]
_SUFFIXES = (".yaml", ".yml")


def choose_recipe(
    source: Recipe | FolderPath,
    analyser: AnalyserName,
    seed: int,
    *,
    size: int | None = None,
    constraints: Collection[str] | None = None,
) -> Recipe:
    """The given recipe, the recipe in a .yaml file, or one with defaults for a corpus. Settings are only for a corpus."""
    if not isinstance(source, Recipe) and Path(source).suffix not in _SUFFIXES:
        return Recipe(
            corpus=SourceSettings(source=str(source)),
            constraints=BUILDERS.names() if constraints is None else tuple(constraints),
            analysis=AnalysisSettings(analyser=analyser),
            sizes=SizeSettings() if size is None else SizeSettings(main=size),
            seed=seed,
        )
    if size is not None or analyser != "auto" or seed or constraints is not None:
        raise UserError(
            "constraints, size, analyser, seed: not allowed together with a recipe. Set these in the recipe instead."
        )
    return source if isinstance(source, Recipe) else Recipe.read(Path(source))


@dataclass(frozen=True)
class Example:
    """One ranking test of a suite: a query, the document that satisfies it, and the one that violates it.

    `record` has every field as it is in the suite's file; `print(example)` gives the texts.
    """

    record: examples.Example

    @property
    def id(self) -> str:
        """Its id in the suite and in the results of a run."""
        return self.record.id

    @property
    def query(self) -> str:
        """The words of the query that states the constraint."""
        return self.record.query

    @property
    def opposite(self) -> str | None:
        """The query with the opposite constraint, if there is one."""
        return self.record.opposite

    @property
    def slice(self) -> str:
        """The slice that it belongs to."""
        return self.record.slice

    @property
    def satisfying(self) -> examples.ExampleDocument:
        """The document that satisfies the constraint of the query."""
        return self.record.satisfying

    @property
    def violating(self) -> examples.ExampleDocument:
        """The document that violates the constraint of the query."""
        return self.record.violating

    def __str__(self) -> str:
        opposite = [f"opposite: {self.record.opposite}"] if self.record.opposite else []
        documents = [
            f"{document.role}: {' – '.join(filter(None, [document.title, _text(segments)]))}"
            for document, segments in self._shown().documents
        ]
        return "\n".join([repr(self), *opposite, *documents])

    def __repr__(self) -> str:
        return f"Example {self.id} ({self.record.slice}): {_text(self._shown().query)}"

    def _repr_html_(self) -> str:
        blocks = make_environment(read_template).get_template("blocks.html.jinja")
        card = blocks.module.reading([self._shown()], self.id)  # type: ignore[attr-defined]  # a macro of the template
        return f'<div class="csuite-card"><style>{_style()}</style>{card}</div>'

    def _shown(self) -> ShownExample:
        return ShownExample(self.record, show_documents(self.record))


def _text(segments: Iterable[Segment]) -> str:
    return "".join(segment.text for segment in segments)


@cache
def _style() -> str:
    """The style of the report, nested so that it applies to the card alone.

    The card follows the theme of JupyterLab, VS Code or Colab, or else the theme of the system.
    """
    return f"""
.csuite-card {{ color-scheme: light dark; {page_colours()} color: var(--ink); background: var(--page);
  max-width: 70rem; padding: .8rem 1rem; border-radius: 8px; line-height: 1.5; {read_template("example.css")} }}
[data-jp-theme-light="true"] .csuite-card, .vscode-light .csuite-card {{ color-scheme: light; }}
[data-jp-theme-light="false"] .csuite-card, .vscode-dark .csuite-card, [theme="dark"] .csuite-card {{ color-scheme: dark; }}
"""


class Suite:
    """A suite. `len`, iteration and `suite[id]` give its examples, which a notebook shows as cards.

    `path` is the folder, and `name` the name that the suite was built under.
    """

    def __init__(self, stored: load.Suite) -> None:
        self.stored = stored
        self.path = stored.artifact.path
        self.name = stored.name

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The main examples, without controls."""
        return tuple(map(Example, self.stored.examples))

    @cached_property
    def controls(self) -> tuple[Example, ...]:
        """Examples with a change that must not change the outcome, and examples that only look like a negation."""
        return tuple(map(Example, self.stored.controls))

    def table(self, by: str = "slice") -> Table:
        """The number of examples in each group of a grouping."""
        groups = pick_grouping(group_examples(self.stored.examples, self.stored.controls), by)
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

    Returns a `Suite`. Raises `UserError` if the folder holds no finished suite, or one that was changed since.

        >>> suite = cs.load_suite("suites/ours")
        >>> suite.examples[0]  # a card with the query and its two documents
    """
    return Suite(load.load_suite(Path(path)))


def build(  # noqa: PLR0913 - one keyword for each option of the command
    source: Recipe | FolderPath,
    out: FolderPath,
    *,
    constraints: Collection[str] | None = None,
    size: int | None = None,
    analyser: AnalyserName = "auto",
    seed: int = 0,
    approved: FolderPath | None = None,
    workers: int = 1,
    quiet: bool = False,
) -> Suite:
    """Build a suite of tests from your documents, as `csuite build` does.

    `source` is a recipe (a .yaml file or a `Recipe`), or a corpus that is built with defaults: a file, a folder,
    `irds:ID`, `hf:OWNER/NAME`, or `sample` for the bundled one. For a corpus, `constraints` names the types of
    constraint to build, such as `["exclude", "number"]` (all by default), `size` limits the number of main examples of
    each type, and `analyser` and `seed` are set here; a recipe has them in its file. `approved` is a file of proposals that a
    person has judged (see `propose`): accepted ones are built too, rejected ones are left out. `workers` is the number
    of processes.

    Writes the suite to the folder `out` and returns it. An interrupted build resumes after the last finished stage.

        >>> suite = cs.build("docs.jsonl", "suites/ours", size=500)
    """
    recipe = choose_recipe(source, analyser, seed, size=size, constraints=constraints)
    if approved is not None:
        recipe = recipe.model_copy(update={"approved": Path(approved)})
    build_suite(recipe, Path(out), engine=LocalEngine(workers), reporter=choose_reporter(quiet))
    return load_suite(out)


def import_suite(kind: str, source: FolderPath, out: FolderPath, split: str | None = None) -> Suite:
    """Read another test set as a suite, so that models can be evaluated on it with the same metrics and tests.

    `kind` is its format, such as `nevir`, `excluir` or `beir`; `source` its file or folder, or its repository on the
    hub; `split` the split to read, where it has several. Writes the suite to the folder `out` and returns it. Raises
    `UserError` if the set has no pairs of documents to compare.

        >>> suite = cs.import_suite("nevir", "orionweller/NevIR", "suites/nevir", split="test")
    """
    artifact = imported.import_suite(kind, str(source), Path(out), split)
    if not artifact.manifest.counts.get("examples"):
        raise UserError(
            f"{out}: read, but it holds no pairs to compare, only a collection. Search it: csuite retrieve-eval {out}"
        )
    return load_suite(out)
