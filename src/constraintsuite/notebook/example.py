"""An example to look at: a card in a notebook, a few lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from constraintsuite.records import examples
from constraintsuite.reports.drawings.theme import page_colours
from constraintsuite.reports.hardest import ShownExample, show_documents
from constraintsuite.reports.marks import Segment, cut, query_marks
from constraintsuite.reports.page import make_environment, read_template


@dataclass(frozen=True)
class Example:
    """One ranking test of a suite: a query, the document that satisfies it, and the one that violates it.

    `record` has every field as it is in the suite's file; `print(example)` gives the texts.
    """

    record: examples.Example

    @property
    def id(self) -> str:
        """The name by which the suite and the results of a run know it."""
        return self.record.id

    @property
    def query(self) -> str:
        """What the system is asked."""
        return self.record.query

    @property
    def opposite(self) -> str | None:
        """The same need with the constraint turned round, if it has one."""
        return self.record.opposite

    @property
    def slice(self) -> str:
        """The kind of example that it is."""
        return self.record.slice

    @property
    def satisfying(self) -> examples.ExampleDocument:
        """The document that obeys the constraint of the query."""
        return self.record.satisfying

    @property
    def violating(self) -> examples.ExampleDocument:
        """The document that breaks the constraint of the query."""
        return self.record.violating

    def __str__(self) -> str:
        opposite = [f"opposite: {self.record.opposite}"] if self.record.opposite else []
        documents = [
            f"{document.role}: {' – '.join(filter(None, [document.title, _text(document.segments)]))}"
            for document in self._shown().documents
        ]
        return "\n".join([repr(self), *opposite, *documents])

    def __repr__(self) -> str:
        return f"Example {self.id} ({self.record.slice}): {_text(self._shown().query)}"

    def _repr_html_(self) -> str:
        blocks = make_environment(read_template).get_template("blocks.html.jinja")
        card = blocks.module.reading([self._shown()], self.id)  # type: ignore[attr-defined]  # a macro of the template
        return f'<div class="csuite-card"><style>{_style()}</style>{card}</div>'

    def _shown(self) -> ShownExample:
        query = cut(self.record.query, query_marks(self.record))
        return ShownExample(self.record, query, show_documents(self.record), outcomes=())


def _text(segments: Iterable[Segment]) -> str:
    return "".join(segment.text for segment in segments)


@cache
def _style() -> str:
    """The report's rules for an example, nested so that they change nothing else in the notebook.

    The card follows the theme of JupyterLab, VS Code or Colab, and elsewhere the system's.
    """
    return f"""
.csuite-card {{ color-scheme: light dark; {page_colours()} color: var(--ink); background: var(--page);
  max-width: 70rem; padding: .8rem 1rem; border-radius: 8px; line-height: 1.5; {read_template("example.css")} }}
[data-jp-theme-light="true"] .csuite-card, .vscode-light .csuite-card {{ color-scheme: light; }}
[data-jp-theme-light="false"] .csuite-card, .vscode-dark .csuite-card, [theme="dark"] .csuite-card {{ color-scheme: dark; }}
"""
