"""Proposals: what could be built from a corpus."""

from __future__ import annotations

from collections.abc import Collection
from html import escape
from pathlib import Path

from constraintsuite.app.api.suite import AnalyserName, FolderPath, choose_recipe, choose_reporter
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.records.tables import ItemColumns, Table, tabulate
from constraintsuite.suites.proposals import ProposalReport, propose_queries
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import Recipe

_SHOWN = 20
_COLUMNS: ItemColumns[Proposal] = {
    "query": ("text", lambda one: one.query),
    "relation": ("text", lambda one: one.relation),
    "status": ("text", lambda one: one.status),
    "on topic": ("count", lambda one: one.topic_documents),
    "affirm": ("count", lambda one: len(one.violating)),
    "deny": ("count", lambda one: len(one.satisfying)),
    "examples": ("count", lambda one: one.examples_expected),
}


class Proposals:
    """How suitable a corpus is, and the queries that could be built from it, the best first.

    `coverage` has counts of classes, facts and topics, and a verdict in words; `proposals` every proposal with its
    evidence; `considered` every attribute that was looked at, with what would help; `file` is the file of proposals, for a
    person to judge and for `build(..., approved=file)`.
    """

    def __init__(self, stored: ProposalReport) -> None:
        self.stored = stored
        self.coverage = stored.coverage
        self.proposals = stored.proposals
        self.considered = stored.considered
        self.file = stored.file

    def table(self, top: int | None = None) -> Table:
        """One row per proposal: its query, and how many documents are on topic, affirm and deny; the best `top` only."""
        shown = self.proposals[:top]
        return tabulate("proposals", f"{len(shown):,} of {len(self.proposals):,} proposals.", shown, _COLUMNS)

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
    constraints: Collection[str] | None = None,
    analyser: AnalyserName = "auto",
    seed: int = 0,
    workers: int = 1,
    quiet: bool = False,
) -> Proposals:
    """See what a corpus allows before a suite is built from it, as `csuite propose` does.

    `source` is a recipe or a corpus, and `constraints` the types to propose, as in `build`. Returns `Proposals`: the
    coverage, and the queries that could be tested, with sentences of the corpus as evidence. They are also written to
    the file `out`, in which a person can set `status` to `accepted` or `rejected` and reword queries; give that file to
    `build` as `approved`.

        >>> found = cs.propose("docs.jsonl")
        >>> print(found.coverage.verdict)
        >>> cs.build("docs.jsonl", "suites/ours", approved=found.file)  # after it was judged
    """
    recipe = choose_recipe(source, analyser, seed, constraints=constraints)
    return Proposals(propose_queries(recipe, Path(out), engine=LocalEngine(workers), reporter=choose_reporter(quiet)))
