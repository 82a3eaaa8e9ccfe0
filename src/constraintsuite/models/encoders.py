"""The encoder that a model string names, for all who need vectors and no scores."""

from __future__ import annotations

from constraintsuite.errors import UserError
from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.naming import load_scorer


def load_encoder(model: str, bench: Workbench | None = None) -> DenseScorer:
    """The encoder with its similarity; a model without vectors is a UserError. No weights are read yet."""
    scorer = load_scorer(model, bench or Workbench())
    if not isinstance(scorer, DenseScorer):
        raise UserError(f"Model {model!r} gives no vectors. Name an encoder, such as dense:all-MiniLM-L6-v2.")
    return scorer
