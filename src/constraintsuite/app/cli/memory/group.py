"""`csuite memory`: one line a command; what is behind it is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from constraintsuite.app.cli.lazy import LazyGroup

_HERE = "constraintsuite.app.cli.memory"
COMMANDS: Mapping[str, tuple[str, str]] = {
    "ingest": (f"{_HERE}.documents:ingest", "Read documents into a new memory."),
    "add": (f"{_HERE}.documents:add", "Add documents to a memory, or replace them."),
    "remove": (f"{_HERE}.documents:remove", "Remove documents from a memory."),
    "modes": (f"{_HERE}.modes:modes", "List the ways to search, with their options."),
    "search": (f"{_HERE}.search:search", "Search a memory, say why, draw it."),
    "feedback": (f"{_HERE}.state:feedback", "Say which units were right, or which gave way to a newer one."),
    "state": (f"{_HERE}.state:state", "Say what was confirmed, and how strong it still is."),
    "snapshot": (f"{_HERE}.state:snapshot", "Keep a copy of a state."),
    "restore": (f"{_HERE}.state:restore", "Put a state back to a copy."),
    "bench": (f"{_HERE}.benchmarks:bench", "Run structured cases: the bundled ones, or yours."),
    "eval": (f"{_HERE}.public:evaluate", "Run a public benchmark: HotpotQA, MuSiQue, LongMemEval and others."),
    "ablate": (f"{_HERE}.benchmarks:ablate", "Say what structure, weights, paths and dynamics are worth."),
    "hypotheses": (f"{_HERE}.benchmarks:hypotheses", "Say which claims of the strategy hold."),
    "private": (f"{_HERE}.private:private", "Make a benchmark of your own documents."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def memory() -> None:
    """Memory as a graph of units: ingest, search, explain, and measure it at equal budgets."""
