"""What could be built from a corpus, to look at before it is built."""

from __future__ import annotations

from html import escape
from pathlib import Path

from constraintsuite.execution.engine import LocalEngine
from constraintsuite.notebook.arguments import AnalyserName, FolderPath, choose_recipe, choose_reporter
from constraintsuite.records.tables import Column, Table
from constraintsuite.suites.proposing import Proposing, propose_queries
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import Recipe

_SHOWN = 20
_COLUMNS = (
    Column("query"),
    Column("relation"),
    Column("status"),
    Column("on topic", "count"),
    Column("affirm", "count"),
    Column("deny", "count"),
    Column("examples", "count"),
)


class Proposals:
    """How well a corpus suits, and the queries that it could test, best first."""

    def __init__(self, stored: Proposing) -> None:
        self.stored = stored

    @property
    def coverage(self) -> CorpusCoverage:
        """Counts of classes, facts and topics, and a verdict in words."""
        return self.stored.coverage

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """Every proposal with its evidence."""
        return self.stored.proposals

    @property
    def file(self) -> Path:
        """The file of proposals, for a person to judge and for `build(..., approved=file)`."""
        return self.stored.file

    def table(self, top: int | None = None) -> Table:
        """One row per proposal: its query, and how many documents are on topic, affirm and deny; the best `top` only."""
        rows = tuple(
            (p.query, p.relation, p.status, p.topic_documents, len(p.violating), len(p.satisfying), p.examples_expected)
            for p in self.proposals[:top]
        )
        return Table("proposals", f"{len(rows):,} of {len(self.proposals):,} proposals.", _COLUMNS, rows)

    def __str__(self) -> str:
        return self.stored.in_words(_SHOWN)

    def __repr__(self) -> str:
        return f"Proposals: {len(self.proposals):,}, in {self.file}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.coverage.verdict)}</p>{self.table(_SHOWN)._repr_html_()}<p>{escape(repr(self))}</p>"


def propose(
    source: Recipe | FolderPath,
    out: FolderPath = "proposals.jsonl",
    *,
    analyser: AnalyserName = "auto",
    seed: int = 0,
    workers: int = 1,
    quiet: bool = False,
) -> Proposals:
    """See what a corpus allows before a suite is built from it, as `csuite propose` does.

    `source` is a recipe or a corpus, as in `build`. Returns `Proposals`: the coverage, and the queries that could be
    tested, with sentences of the corpus as evidence. They are also written to the file `out`, in which a person can
    set `status` to `accepted` or `rejected` and reword queries; give that file to `build` as `approved`.

        >>> found = cs.propose("docs.jsonl")
        >>> print(found.coverage.verdict)
        >>> cs.build("docs.jsonl", "suites/ours", approved=found.file)  # after it was judged
    """
    recipe = choose_recipe(source, analyser, seed)
    return Proposals(propose_queries(recipe, Path(out), engine=LocalEngine(workers), reporter=choose_reporter(quiet)))
