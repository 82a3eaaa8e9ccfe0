"""The chance level: random scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import ModelName


def make_random(name: ModelName, bench: Workbench) -> Scorer:
    """`random` (seed 0) or `random:SEED`."""
    name.refuse_options()
    if name.argument and not (name.argument.isascii() and name.argument.isdigit()):
        raise UserError(f"Model {str(name)!r}: the seed must be an integer, as in random:7.")
    return RandomScorer(int(name.argument or 0))


class RandomScorer:
    """A random number from 0 to 1 for each (query, text), the same on every machine."""

    spreadable = True

    def __init__(self, seed: int = 0) -> None:
        self.name = f"random:{seed}" if seed else "random"
        self.seed = seed
        self.fingerprint = sha256_text("random", str(seed))

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """A uniform number per pair, from a hash of seed, query and text."""
        hashes = [stable_hash("random", str(self.seed), query, text) for query, text in pairs]
        return np.array(hashes, dtype=np.uint64) / np.float64(2**64)
