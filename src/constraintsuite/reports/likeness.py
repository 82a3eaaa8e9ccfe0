"""How alike a bi-encoder finds the two documents of an example (the NevIR paper's appendix C)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Encoder, Workbench
from constraintsuite.models.dense import SIMILARITIES, DenseScorer
from constraintsuite.models.naming import load_scorer
from constraintsuite.records.examples import Example


def load_encoder(model: str, bench: Workbench) -> Encoder:
    """The encoder behind a model of that name; one that makes no vectors is a UserError."""
    scorer = load_scorer(model, bench)
    if not isinstance(scorer, DenseScorer):
        raise UserError(f"--vectors {model}: this model gives a text no vector. Name a bi-encoder: dense:NAME")
    return scorer.encoder


def pair_similarity(encoder: Encoder, examples: Sequence[Example]) -> npt.NDArray[np.float64]:
    """The cosine of the vectors of each example's two documents; each distinct text is encoded once."""
    texts = {text: row for row, text in enumerate(dict.fromkeys(t for e in examples for t in _texts(e)))}
    vectors = encoder.encode(list(texts), "document").astype(np.float64)
    pos, neg = ([texts[_texts(example)[side]] for example in examples] for side in (0, 1))
    return SIMILARITIES["cosine"](vectors[pos], vectors[neg])


def _texts(example: Example) -> tuple[str, str]:
    return example.docs.pos.text, example.docs.neg.text
