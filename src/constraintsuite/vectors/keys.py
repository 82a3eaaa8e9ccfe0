"""A number for every id that decides whether it is in a sample: no generator, no state, no order of rows.

`key(id) = BLAKE2b-64("csuite.sample.v1" 1F role 1F namespace 1F seed 1F id)`, read as a big-endian number. The sample of n is
the n smallest keys. So a larger sample holds every smaller one, and a corpus may grow, shrink or be shuffled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

import numpy as np
import numpy.typing as npt

SamplingKeys = npt.NDArray[np.uint64]
KeyRole = Literal["corpus", "query"]
_VERSION = "csuite.sample.v1"
_BORDER = "\x1f"


@dataclass(frozen=True)
class KeyMaker:
    """Makes the keys of one role in one namespace with one seed."""

    role: KeyRole
    namespace: str
    seed: str

    def __call__(self, ids: Sequence[str]) -> SamplingKeys:
        """The key of each id."""
        start = _BORDER.join((_VERSION, self.role, self.namespace, self.seed, ""))
        begun = blake2b(start.encode(), digest_size=8)

        def digest(name: str) -> bytes:
            own = begun.copy()  # twice as fast as hashing the beginning again
            own.update(name.encode())
            return own.digest()

        return np.frombuffer(b"".join([digest(name) for name in ids]), dtype=">u8").astype(np.uint64)
