"""Solvers that look at the outside of the documents: length, negation words, mentions of Y, ids, edits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.records.examples import Example
from constraintsuite.records.text import Span
from constraintsuite.suites.audit.base import FloatArray, Side, Solver, document, least, most
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.terms import words


def count_words(example: Example, side: Side) -> int:
    """Length of the text in words."""
    return len(words(document(example, side).text))


def count_cues(example: Example, side: Side) -> int:
    """Negation words in the text, whatever they govern."""
    return len(example.tags.cues_in_doc_pos if side == "pos" else example.tags.cues_in_doc_neg)


def _count_y(example: Example, side: Side) -> int:
    return len(_mentions(example, side))


def _mentions(example: Example, side: Side) -> list[Span]:
    forms = example.constraint.y_surface_forms or ((example.constraint.y,) if example.constraint.y else ())
    return find_forms(document(example, side).text, forms)  # imported pairs have no Y, hence no mention of it


def _earlier_y(examples: Sequence[Example]) -> FloatArray:
    # Only where both mention Y: whether a text mentions it at all is what `fewer_y` asks.
    first = [[_mentions(example, side)[:1] for side in ("pos", "neg")] for example in examples]
    return np.array([neg[0].start - pos[0].start if pos and neg else 0 for pos, neg in first], dtype=np.float64)


def _id_order(examples: Sequence[Example]) -> FloatArray:
    ids = [(example.docs.pos.id, example.docs.neg.id) for example in examples]
    return np.array([(pos < neg) - (pos > neg) for pos, neg in ids], dtype=np.float64)


def _edited(examples: Sequence[Example]) -> FloatArray:
    advantage = {"pos": 1, "neg": -1, "both": 0}
    return np.array([advantage[one.edit.document] if one.edit else 0 for one in examples], dtype=np.float64)


SHORTER = Solver("the text with fewer words", least(count_words), opposite="longer")
LONGER = Solver("the text with more words", most(count_words), opposite="shorter")
FEWER_CUES = Solver("the text with fewer negation words", least(count_cues), opposite="more_cues")
MORE_CUES = Solver("the text with more negation words", most(count_cues), opposite="fewer_cues")
FEWER_Y = Solver("the text that mentions Y less often", least(_count_y), opposite="more_y")
MORE_Y = Solver("the text that mentions Y more often", most(_count_y), opposite="fewer_y")
POSITION_OF_Y = Solver("the text whose first mention of Y stands earlier (a tie unless both mention it)", _earlier_y)
FIRST_ID = Solver("the document whose id sorts first", _id_order)
EDITED_SIDE = Solver("the edited document, where exactly one of the two is edited", _edited)
