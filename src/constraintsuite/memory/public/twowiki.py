"""2WikiMultiHopQA (Ho et al. 2020): HotpotQA's form; the triples that lead to the answer are not scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.memory.public.answers import AnswerScores
from constraintsuite.memory.public.base import BenchmarkFile, ReadOptions
from constraintsuite.memory.public.evidence import SetScores
from constraintsuite.memory.public.hotpotqa import HotpotScorer, read_questions

_NOT_JOINT = "joint_* is null: officially it multiplies in the scores of predicted evidence triples, and no mode predicts triples."


def read(path: Path, options: ReadOptions) -> BenchmarkFile:
    """The authors' `train.json` or `dev.json`."""
    reading = read_questions("2wiki", path, options, TwoWikiScorer())
    return replace(reading, notes=(_NOT_JOINT, *reading.notes))


class TwoWikiScorer(HotpotScorer):
    """As HotpotQA's, but the case of titles does not count, and without triples nothing is joint."""

    def names(self, facts: Sequence[str]) -> Sequence[str]:
        """Facts with their titles in lower case."""
        return [fact.lower() for fact in facts]

    def joined(self, answer: AnswerScores, facts: SetScores) -> AnswerScores | None:
        """None: answer times facts is not what the authors call joint."""
        return None
