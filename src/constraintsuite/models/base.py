"""The contracts of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # so that the names of the models can be listed without numpy
    import numpy as np
    import numpy.typing as npt


class Scorer(Protocol):
    """Gives each (query, text) pair a number; higher means more relevant."""

    name: str
    """What a user writes to get this scorer."""
    fingerprint: str
    """Hash of all that decides a score besides code and pair: settings, weights, statistics of the collection."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """One finite number a pair, which must not depend on the other pairs."""


class ScorerFactory(Protocol):
    """Makes a scorer from what stands after the colon of its name and the distinct texts of the collection.

    Making one is cheap: weights are read and statistics counted at the first `score`, so that a finished run is
    recognised, and a wrong name refused, without them.
    """

    def __call__(self, argument: str, documents: Sequence[str]) -> Scorer:
        """The scorer; an argument that it does not know is a UserError."""
