"""Solvers that look at the outside of the documents: length, ids, edits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import FloatArray, Solver, least, most
from constraintsuite.text.terms import words


def count_words(example: Example, role: str) -> int:
    """Length of the text in words."""
    return len(words(example.document(role).text))


def _id_order(examples: Sequence[Example]) -> FloatArray:
    ids = [(example.satisfying.id, example.violating.id) for example in examples]
    return np.array([(good < bad) - (good > bad) for good, bad in ids], dtype=np.float64)


def _edited(examples: Sequence[Example]) -> FloatArray:
    edited = [(bool(example.satisfying.edit), bool(example.violating.edit)) for example in examples]
    return np.array([good - bad for good, bad in edited], dtype=np.float64)


SHORTER = Solver("the text with fewer words", least(count_words), opposite="longer")
LONGER = Solver("the text with more words", most(count_words), opposite="shorter")
FIRST_ID = Solver("the document whose id sorts first", _id_order)
EDITED_SIDE = Solver("the edited document, where exactly one of the two is edited", _edited)
