"""The solver `template`: learns, for each recurring pattern of queries, which of the other solvers to follow and which to avoid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.suites.audit.logistic import SparseRows, held_out_weights
from constraintsuite.suites.audit.results import TEMPLATE
from constraintsuite.suites.audit.solvers import SolverTrial
from constraintsuite.text.readings import is_function_word
from constraintsuite.text.terms import words

_PENALTY = 1.0


class SolverPicks(NamedTuple):
    """What a solver picks for the query, and for the opposite query; +1 is right, -1 wrong, 0 a tie, NaN not tried."""

    query: FloatArray  # (examples,)
    opposite: FloatArray  # (examples,)


def query_pattern(query: str) -> str:
    """The function words of a query, with a gap for each run of other words: "soups without cream" is "_ without _"."""
    found = groupby(words(query), key=is_function_word)
    return " ".join(" ".join(run) if is_function else "_" for is_function, run in found)


def template_trial(
    examples: Sequence[Example], groups: IntArray, picks: Mapping[str, SolverPicks], *, seed: int
) -> SolverTrial:
    """How often the right document is found by what other solvers pick, weighted by what worked for this pattern elsewhere.

    Weights come from a logistic regression with one feature per pattern and solver; whole groups are held out. Where the
    suite states no constraint, the opposite queries are examples to learn from as well.
    """
    if len(np.unique(groups)) < 2:
        nothing = np.full(len(examples), np.nan)
        return SolverTrial.of_picks(examples, groups, nothing, nothing)
    n = len(examples)
    asked = SparseRows.of_counts(
        [
            *_features([example.query for example in examples], {name: own.query for name, own in picks.items()}),
            *_features([example.opposite or "" for example in examples], {k: own.opposite for k, own in picks.items()}),
        ]
    ).without_rare_columns()
    learnt = [example.constraint is None and example.is_paired for example in examples]
    rows = np.concatenate([np.arange(n), n + np.flatnonzero(learnt)])
    scores = np.zeros(2 * n)
    for held_out, weights in held_out_weights(
        asked.take(rows), groups[rows % n], (str(seed), TEMPLATE), penalty=_PENALTY
    ):
        places = np.unique(rows[held_out] % n)
        both = np.concatenate([places, n + places])
        scores[both] = asked.take(both).times(weights)
    opposite = np.where([example.is_paired for example in examples], np.sign(scores[n:]), np.nan)
    return SolverTrial.of_picks(examples, groups, np.sign(scores[:n]), opposite)


def _features(queries: Sequence[str], picks: Mapping[str, FloatArray]) -> list[dict[str, float]]:
    known = {name: np.nan_to_num(found) for name, found in picks.items()}
    return [
        {f"{pattern}\t{name}": float(found[place]) for name, found in known.items()}
        for place, pattern in enumerate(map(query_pattern, queries))
    ]
