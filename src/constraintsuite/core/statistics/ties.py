"""What equal scores count: a rule that is applied to the raw scores of a run, so that any other can be applied later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import ExampleDocument

Outcome = Literal["right", "wrong", "tie"]
TiePolicy = Literal["strict", "half", "random", "mteb"]
TIE_POLICIES: tuple[TiePolicy, ...] = get_args(TiePolicy)


@dataclass(frozen=True, slots=True)
class TieRule:
    """When two scores are equal, and what that counts."""

    policy: TiePolicy = "strict"
    """`strict`: nothing. `half`: one half. `random`: a coin keyed by query and texts decides which document is first.
    `mteb`: the document whose id sorts last is first, and scores are compared in 32 bits, as pytrec_eval does both."""
    eps: float = 0.0
    """Scores at most this far apart are equal."""

    def __str__(self) -> str:
        return f"{self.policy}, eps {self.eps:g}" if self.eps else self.policy

    def outcome(self, better: float, worse: float) -> Outcome:
        """Whether `better` really is above `worse`."""
        if self.policy == "mteb":
            with np.errstate(over="ignore"):  # what is too large for 32 bits is infinite there, and ties
                better, worse = float(np.float32(better)), float(np.float32(worse))
        if better == worse or abs(better - worse) <= self.eps:
            return "tie"
        return "right" if better > worse else "wrong"

    def credit(self, query: str, better: ExampleDocument, worse: ExampleDocument) -> float:
        """What a tie between the two counts: 1 if the better one is put first, 0 if the other is."""
        if self.policy == "half":
            return 0.5
        if self.policy == "mteb":
            return float(better.id > worse.id)
        if self.policy == "random":
            return float(_coin_puts_first(query, better.text, worse.text))
        return 0.0


STRICT = TieRule()


def _coin_puts_first(query: str, text: str, other: str) -> bool:
    """The same document comes first whichever of the two a query wants, as in a real ranking."""
    heads = stable_hash("tie", query, *sorted((text, other))) % 2 == 0
    return heads if text <= other else not heads
