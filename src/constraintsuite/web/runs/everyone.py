"""What all runs of a suite made of one example."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.experiments.load import load_run
from constraintsuite.web.runs.families import family_of
from constraintsuite.web.runs.showing import ShownResult, show_result
from constraintsuite.web.shelf import Shelved, WebShelf

MOST = 12
"""Runs that are read for one example: each stays in memory, and a suite may have hundreds."""


class ExampleInRun(NamedTuple):
    """Of one run."""

    label: str
    place: str
    result: ShownResult


class EveryOutcome(NamedTuple):
    """Of the first runs by place, and how many others there are."""

    shown: tuple[ExampleInRun, ...]
    more: int


def outcomes_in(shelf: WebShelf, suite: Shelved, id: str) -> EveryOutcome:
    """How an example came out; a run that has no result for it, or cannot be read, says nothing here."""
    family = family_of(shelf, suite)
    labels, found = family.labels(), []
    for one in family.runs[:MOST]:
        try:
            run = shelf.load(one, load_run)
        except UserError:
            continue  # told on the leaderboard
        result = next((result for result in run.results if result.id == id), None)
        if result is not None:
            found.append(ExampleInRun(labels[one.place], one.place, show_result(result)))
    return EveryOutcome(tuple(found), len(family.runs[MOST:]))
