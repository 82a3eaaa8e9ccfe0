"""A suite to look at."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from html import escape
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.experiments import load
from constraintsuite.experiments.groupings import pick, split_up
from constraintsuite.records.examples import Example
from constraintsuite.reports.drawings.svg import Drawing
from constraintsuite.reports.grouped import in_order
from constraintsuite.reports.sections.dataset import difference_charts, length_table
from constraintsuite.reports.tables import Column, Table
from constraintsuite.suites.views.dataset import view_dataset


class Suite:
    """A suite folder: `len`, iteration and `suite[id]` are over its main examples."""

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

    @property
    def examples(self) -> tuple[Example, ...]:
        """The main examples."""
        return self.stored.examples

    @property
    def controls(self) -> tuple[Example, ...]:
        """What must not change an answer, and what only looks like a negation."""
        return self.stored.controls

    def table(self, by: str = "slice") -> Table:
        """How many examples are in each group of a grouping."""
        groups = pick(split_up(self.examples, self.controls), by)
        rows = tuple((group, len(groups[group])) for group in in_order(by, groups))
        return Table(f"examples_by_{by}", f"{self.name}: examples by {by}.", (Column(by), Column("n", "count")), rows)

    def lengths(self) -> Table:
        """Mean lengths of queries and documents in words, by split."""
        return length_table(view_dataset(self.examples))

    def differences(self) -> tuple[Drawing, ...]:
        """Histograms of the words in which the two queries, and the two documents, of an example differ."""
        return tuple(difference_charts(view_dataset(self.examples)))

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    def __getitem__(self, id: str) -> Example:
        """The example or control of that id."""
        known = {example.id: example for example in (*self.examples, *self.controls)}
        if id not in known:
            near = get_close_matches(id, known, n=1)
            raise UserError(f"No example {id!r} in {self.name}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return known[id]

    def __repr__(self) -> str:
        return f"Suite {self.name}: {len(self.examples):,} examples, {len(self.controls):,} controls ({self.path})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.table()._repr_html_()}"
