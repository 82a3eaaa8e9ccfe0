"""Shortcuts that a question about a limit may leave open: the larger value, the value that is named earlier, more numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.suites.audit.solvers import Solver, prefer_higher
from constraintsuite.suites.sides.limits import Limited
from constraintsuite.text.terms import words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def _largest(example: Example, role: str) -> float:
    """The largest number in digits among the values that decide; 0 if there is none."""
    constraint = example.constraint
    values = [one.value for one in constraint.evidence if one.document == role] if constraint else []
    numbers = [float(found.replace(",", "")) for value in values for found in _NUMBER.findall(value)]
    return max(numbers, default=0.0)


def _count_numbers(example: Example, role: str) -> int:
    return len(_NUMBER.findall(example.document(role).text))


def _same_digits(example: Example, role: str) -> int:
    """How many numbers of the query are in the text as they are."""
    return len({*_NUMBER.findall(example.query)} & {*_NUMBER.findall(example.document(role).text)})


def _nearest(examples: Sequence[Example]) -> FloatArray:
    """Prefers the value that is nearest to the limit, whether the query says it or names a thing that has it."""
    return np.array([_distance(one, VIOLATING) - _distance(one, SATISFYING) for one in examples], dtype=np.float64)


def _distance(example: Example, role: str) -> float:
    constraint = example.constraint
    return abs(_largest(example, role) - constraint.limit) if isinstance(constraint, Limited) else 0.0


def _earlier(examples: Sequence[Example]) -> FloatArray:
    return np.array(
        [_words_before(one, VIOLATING) - _words_before(one, SATISFYING) for one in examples], dtype=np.float64
    )


def _words_before(example: Example, role: str) -> int:
    constraint = example.constraint
    places = [one.start for one in constraint.evidence if one.document == role] if constraint else []
    return len(words(example.document(role).text[: min(places, default=0)]))


MORE_NUMBERS = Solver("more_numbers", "the text with more numbers in digits", prefer_higher(_count_numbers))
SAME_DIGITS = Solver(
    "same_digits", "the text with more of the query's numbers", prefer_higher(_same_digits), reads_query=True
)
LIMIT_SOLVERS = (
    Solver("larger_value", "the text with the larger value", prefer_higher(_largest)),
    Solver("nearest_value", "the text whose value is nearest to the limit", _nearest),
    Solver("earlier_value", "the text that states its value earlier", _earlier),
    MORE_NUMBERS,
    SAME_DIGITS,
)
BY_CONSTRUCTION = {
    "larger_value": "the query says whether the larger or the smaller value is right, so the value alone wins no pair"
}
"""Why the meaning of a limit decides what a solver picks."""
UNBALANCED = {
    "larger_value": "unbalanced_value",
    "nearest_value": "unbalanced_distance",
    "earlier_value": "unbalanced_position",
    "more_numbers": "unbalanced_numbers",
    "own_query_words": "unbalanced_words",
    "shorter": "unbalanced_length",
}
"""Solvers that are balanced, and the reason that is given for what is left out.

Query words are among them: encyclopedias write "born" of the living alone, so the word would tell who was born later.
"""
