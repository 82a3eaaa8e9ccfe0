"""Classifiers that see too little: only the two documents (`query_blind`), only the two queries (`query_only`), or each alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.suites.audit.logistic import count_differences, held_out_scores
from constraintsuite.suites.audit.results import NO_INTERACTION, QUERY_BLIND, QUERY_ONLY
from constraintsuite.suites.audit.solvers import SolverTrial

REPEATS = 5


def blind_trials(examples: Sequence[Example], groups: IntArray, *, seed: int) -> Iterator[tuple[str, SolverTrial]]:
    """The trials of classifiers that see too little, by name; whole groups are held out.

    Only one example of each couple takes part, drawn again in each repeat: with both, every row has its mirror image and
    training cancels out exactly. With fewer than two groups nothing can be held out, and a trial has no units.

    The queries are classified only where no constraint says how they differ. A system that never relates the query to the
    documents can still win a pair there, if it tells which query it was given and which document goes with it: `no_interaction`.
    """
    couples = _couples(examples)
    if len(np.unique(groups)) < 2:
        couples = []
    units = tuple(examples[members[0]] for members in couples)
    numbers = groups[np.array([members[0] for members in couples], dtype=np.int64)]
    drawn = _draw(examples, couples, seed)
    documents = _signs([(one.satisfying.text, one.violating.text) for one in examples], groups, drawn, seed)
    yield QUERY_BLIND, _trial(units, numbers, documents)
    if all(one.is_paired and one.constraint is None for one in examples):
        queries = _signs([(one.query, one.opposite or "") for one in examples], groups, drawn, seed)
        yield QUERY_ONLY, _trial(units, numbers, queries)
        yield NO_INTERACTION, _trial(units, numbers, queries * documents)


def _draw(examples: Sequence[Example], couples: Sequence[Sequence[int]], seed: int) -> IntArray:
    """The example of each couple that takes part in each repeat: (repeats, couples)."""
    found = [
        [members[stable_hash(*_key(seed, repeat), examples[members[0]].id) % len(members)] for members in couples]
        for repeat in range(REPEATS)
    ]
    return np.array(found, dtype=np.int64).reshape(REPEATS, len(couples))


def _key(seed: int, repeat: int) -> tuple[str, ...]:
    return str(seed), QUERY_BLIND, str(repeat)


def _signs(pairs: Sequence[tuple[str, str]], groups: IntArray, drawn: IntArray, seed: int) -> FloatArray:
    """Whether the first text of each drawn pair is recognised (+1), the second is taken for it (-1), or neither (0)."""
    differences = count_differences(pairs)
    return np.array(
        [
            np.sign(held_out_scores(differences.take(rows).without_rare_columns(), groups[rows], _key(seed, repeat)))
            for repeat, rows in enumerate(drawn)
        ]
    )


def _trial(units: tuple[Example, ...], groups: IntArray, signs: FloatArray) -> SolverTrial:
    """The trial of a choice that is the same for a query and its opposite: it wins a pair only if a coin decides twice."""
    ties = (signs == 0).mean(axis=0)
    paired = np.where([unit.is_paired for unit in units], ties / 4, np.nan)
    return SolverTrial(units, groups, (1 + signs.mean(axis=0)) / 2, ties, paired)


def _couples(examples: Sequence[Example]) -> list[list[int]]:
    """The places of the examples of each couple; an example without a couple is a couple by itself."""
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        members[example.couple, "" if example.couple else example.id].append(place)
    return list(members.values())
