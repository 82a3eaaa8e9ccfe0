"""Solvers that count negation words and mentions of Y, for constraints of type `exclude`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.records.text import Span
from constraintsuite.suites.audit.base import FloatArray, Solver, least, most
from constraintsuite.text.mentions import find_forms


def count_cues(example: Example, role: str) -> int:
    """Negation words in the text, whatever they govern; 0 where they were not counted."""
    cues: dict[str, tuple[str, ...]] = getattr(example.constraint, "cues", {})
    return len(cues.get(role, ()))


def _count_y(example: Example, role: str) -> int:
    return len(_mentions(example, role))


def _mentions(example: Example, role: str) -> list[Span]:
    constraint = example.constraint
    forms = (constraint.forms or (constraint.value,)) if constraint else ()
    return find_forms(example.document(role).text, forms)


def _earlier_y(examples: Sequence[Example]) -> FloatArray:
    # Only where both mention Y: whether a text mentions it at all is what `fewer_y` asks.
    first = [[_mentions(example, role)[:1] for role in (SATISFYING, VIOLATING)] for example in examples]
    return np.array([bad[0].start - good[0].start if good and bad else 0 for good, bad in first], dtype=np.float64)


FEWER_CUES = Solver("the text with fewer negation words", least(count_cues), opposite="more_cues")
MORE_CUES = Solver("the text with more negation words", most(count_cues), opposite="fewer_cues")
FEWER_Y = Solver("the text that mentions Y less often", least(_count_y), opposite="more_y")
MORE_Y = Solver("the text that mentions Y more often", most(_count_y), opposite="fewer_y")
POSITION_OF_Y = Solver("the text whose first mention of Y stands earlier (a tie unless both mention it)", _earlier_y)
