"""What any model owes: one finite number a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Pair, TextError


def check_scores(model: str, pairs: Sequence[Pair], given: object) -> npt.NDArray[np.float64]:
    """What a model gave for pairs, as an array; anything but one finite number each is a UserError."""
    try:
        array = np.asarray(given if hasattr(given, "__array__") else list(given))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        array = None
    if array is None or array.dtype.kind not in "fiub":
        raise UserError(f"Model {model!r} gave {given!r:.80}, expected a sequence of numbers, one a pair.")
    if array.shape != (len(pairs),):
        raise UserError(
            f"Model {model!r} gave scores of shape {array.shape} for {len(pairs)} pairs, expected one number each."
        )
    scores = array.astype(np.float64)
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        query, text = pairs[place]
        raise TextError(f"Model {model!r} gave {scores[place]} to query {query!r} and text {text[:80]!r}.")
    return scores
