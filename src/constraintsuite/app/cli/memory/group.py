"""`csuite memory`: one line per command; its module is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from constraintsuite.app.cli.main import LazyGroup

_HERE = "constraintsuite.app.cli.memory"
COMMANDS: Mapping[str, tuple[str, str]] = {
    "ingest": (f"{_HERE}.documents:ingest", "Read documents into a new memory."),
    "add": (f"{_HERE}.documents:add", "Add documents to a memory, or replace them."),
    "remove": (f"{_HERE}.documents:remove", "Remove documents from a memory."),
    "modes": (f"{_HERE}.modes:modes", "List the search modes and their options."),
    "search": (f"{_HERE}.search:search", "Search a memory, explain the results, draw them."),
    "feedback": (f"{_HERE}.state:feedback", "Confirm units that were right, or replace them by a newer one."),
    "state": (f"{_HERE}.state:state", "Show what was confirmed, and how strong it still is."),
    "snapshot": (f"{_HERE}.state:snapshot", "Save a copy of a state."),
    "restore": (f"{_HERE}.state:restore", "Restore a state from a copy."),
    "bench": (f"{_HERE}.benchmarks:bench", "Run structured cases: the bundled ones, or yours."),
    "eval": (f"{_HERE}.public:evaluate", "Run a public benchmark: HotpotQA, MuSiQue, LongMemEval and others."),
    "ablate": (f"{_HERE}.benchmarks:ablate", "Measure what structure, weights, paths and dynamics add."),
    "hypotheses": (f"{_HERE}.benchmarks:hypotheses", "Test which claims of the strategy hold."),
    "private": (f"{_HERE}.private:private", "Make a benchmark from your own documents."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def memory() -> None:
    """Build a memory as a graph of units, search it, explain results, and measure it at equal budgets."""
