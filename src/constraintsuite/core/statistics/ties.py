"""Rules for ties. A rule is applied to the raw scores of a run, so that another one can be applied later."""

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
    """When two scores count as equal, and what a tie counts."""

    policy: TiePolicy = "strict"
    """`strict`: a tie counts 0. `half`: one half. `random`: a reproducible coin toss, keyed by query and texts, puts one document
    first. `mteb`: the document whose id sorts last is first, and scores are compared in 32 bits, as in pytrec_eval."""
    eps: float = 0.0
    """Scores at most this far apart are equal."""

    def __str__(self) -> str:
        return f"{self.policy}, eps {self.eps:g}" if self.eps else self.policy

    def outcome(self, better: float, worse: float) -> Outcome:
        """Compare the score of the better document with that of the worse one."""
        if self.policy == "mteb":
            with np.errstate(over="ignore"):  # numbers that are too large for 32 bits become infinite, and tie
                better, worse = float(np.float32(better)), float(np.float32(worse))
        if better == worse or abs(better - worse) <= self.eps:
            return "tie"
        return "right" if better > worse else "wrong"

    def credit(self, query: str, better: ExampleDocument, worse: ExampleDocument) -> float:
        """What a tie counts: 1 if the rule puts the better document first, 0 if it puts the other one first."""
        if self.policy == "half":
            return 0.5
        if self.policy == "mteb":
            return float(better.id > worse.id)
        if self.policy == "random":  # the coin does not depend on which of the two the query prefers
            heads = stable_hash("tie", query, *sorted((better.text, worse.text))) % 2 == 0
            return float(heads == (better.text <= worse.text))
        return 0.0


STRICT = TieRule()
