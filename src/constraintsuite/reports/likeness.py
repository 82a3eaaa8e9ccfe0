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
    satisfying, violating = ([texts[_texts(example)[place]] for example in examples] for place in (0, 1))
    return SIMILARITIES["cosine"](vectors[satisfying], vectors[violating])


def _texts(example: Example) -> tuple[str, str]:
    return example.satisfying.text, example.violating.text
