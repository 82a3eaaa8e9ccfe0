"""Solvers pick one of the two documents of an example without understanding the query: by length, ids, edits or shared words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.text.terms import TermAnalyser, words

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
DocumentMeasure = Callable[[Example, str], float]
"""A number for the document of an example that has this role."""
Advantage = Callable[[Sequence[Example]], FloatArray]
"""For each example, how much more a solver likes the satisfying document than the violating one; 0 is a tie."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A shortcut, in words and as a function."""

    name: str
    says: str
    """What it picks: "the text with fewer words"."""
    advantage: Advantage
    opposite: str = ""
    """Name of the solver that always picks the other document, where there is one."""

    def picks(self, examples: Sequence[Example]) -> IntArray:
        """Per example +1 (picks the satisfying document), -1 (the violating one) or 0 (a tie)."""
        return np.sign(self.advantage(examples)).astype(np.int64)


def most(measure: DocumentMeasure) -> Advantage:
    """Prefers the document that measures more."""
    return lambda examples: np.array(
        [measure(one, SATISFYING) - measure(one, VIOLATING) for one in examples], dtype=np.float64
    )


def least(measure: DocumentMeasure) -> Advantage:
    """Prefers the document that measures less."""
    return lambda examples: -most(measure)(examples)


class SolverTrial(NamedTuple):
    """How a solver did, unit by unit: a unit is an example or, where one example of each couple is tried, a couple."""

    units: tuple[Example, ...]
    """One example of each unit."""
    groups: IntArray  # (units,)
    """Units of one group share source texts: they are resampled, and held out, together."""
    wins: FloatArray  # (units,)
    """Share of the tries that picked the satisfying document."""
    losses: FloatArray  # (units,)
    """Share of the tries that picked the violating document; the rest are ties."""

    @staticmethod
    def of_picks(examples: Sequence[Example], groups: IntArray, picks: FloatArray) -> SolverTrial:
        """The trial in which a solver picked once for every example."""
        return SolverTrial(tuple(examples), groups, (picks > 0).astype(np.float64), (picks < 0).astype(np.float64))

    @property
    def ties(self) -> FloatArray:  # (units,)
        """Share of the tries that picked neither."""
        return np.maximum(0.0, 1.0 - self.wins - self.losses)

    def keep(self, kept: npt.NDArray[np.bool_]) -> SolverTrial:
        """Only some of the units."""
        units = tuple(unit for unit, keep in zip(self.units, kept, strict=True) if keep)
        return SolverTrial(units, self.groups[kept], self.wins[kept], self.losses[kept])

    def reversed(self) -> SolverTrial:
        """The same with the opposite choice each time; a tie stays a tie."""
        return self._replace(wins=self.losses, losses=self.wins)

    def with_coin(self) -> SolverTrial:
        """The same with a coin thrown at each tie."""
        return self._replace(wins=self.wins + self.ties / 2, losses=self.losses + self.ties / 2)


def count_words(example: Example, role: str) -> int:
    """Length of the text in words."""
    return len(words(example.document(role).text))


def _id_order(examples: Sequence[Example]) -> FloatArray:
    ids = [(example.satisfying.id, example.violating.id) for example in examples]
    return np.array([(good < bad) - (good > bad) for good, bad in ids], dtype=np.float64)


def _edited(examples: Sequence[Example]) -> FloatArray:
    edited = [(bool(example.satisfying.edit), bool(example.violating.edit)) for example in examples]
    return np.array([good - bad for good, bad in edited], dtype=np.float64)


def _bm25_advantage(examples: Sequence[Example], queries: Sequence[str]) -> FloatArray:
    good = [example.satisfying.text for example in examples]
    bad = [example.violating.text for example in examples]
    scorer = load_scorer("bm25:nostop", Workbench([*good, *bad]))  # a "not" that query and text share counts
    return scorer.score(list(zip(queries, good, strict=True))) - scorer.score(list(zip(queries, bad, strict=True)))


def _higher_under_query(examples: Sequence[Example]) -> FloatArray:
    return _bm25_advantage(examples, [example.query for example in examples])


def _lower_under_opposite(examples: Sequence[Example]) -> FloatArray:
    return -_bm25_advantage(examples, [example.opposite or "" for example in examples])


@cache
def _all_words() -> TermAnalyser:
    return TermAnalyser(stop_list="none", stem=True)


def _shared_terms(example: Example, role: str) -> int:
    terms = _all_words().terms
    return len(set(terms(example.query)) & set(terms(example.document(role).text)))


SOLVERS = (
    Solver("shorter", "the text with fewer words", least(count_words), opposite="longer"),
    Solver("longer", "the text with more words", most(count_words), opposite="shorter"),
    Solver("bm25_query", "the higher BM25 score under the query", _higher_under_query),
    Solver("bm25_opposite", "the lower BM25 score under the opposite query", _lower_under_opposite),
    Solver("overlap", "the text that shares more distinct words with the query", most(_shared_terms)),
    Solver("first_id", "the document whose id sorts first", _id_order),
    Solver("edited_side", "the edited document, where exactly one of the two is edited", _edited),
)
"""Those of every suite; constraint types add their own."""
