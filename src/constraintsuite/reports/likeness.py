"""How alike a bi-encoder finds the two documents of an example (the NevIR paper's appendix C)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.models.base import Encoder
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.records.examples import Example


def pair_similarity(encoder: Encoder, examples: Sequence[Example]) -> npt.NDArray[np.float64]:
    """The cosine of the vectors of each example's two documents; each distinct text is encoded once."""
    texts = {text: row for row, text in enumerate(dict.fromkeys(t for e in examples for t in _texts(e)))}
    vectors = encoder.encode(list(texts), "document").astype(np.float64)
    pos, neg = ([texts[_texts(example)[side]] for example in examples] for side in (0, 1))
    return SIMILARITIES["cosine"](vectors[pos], vectors[neg])


def _texts(example: Example) -> tuple[str, str]:
    return example.docs.pos.text, example.docs.neg.text
