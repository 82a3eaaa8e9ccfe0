"""2WikiMultiHopQA (Ho et al. 2020): HotpotQA's form, with the triples that lead to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.memory.public.base import Reading, ReadOptions
from constraintsuite.memory.public.hotpotqa import HotpotScorer, read_questions


def read(path: Path, options: ReadOptions) -> Reading:
    """The authors' `train.json` or `dev.json`."""
    return read_questions("2wiki", path, options, TwoWikiScorer())


class TwoWikiScorer(HotpotScorer):
    """As HotpotQA's, but the case of titles does not count."""

    def names(self, facts: Sequence[str]) -> Sequence[str]:
        """Facts with their titles in lower case."""
        return [fact.lower() for fact in facts]
