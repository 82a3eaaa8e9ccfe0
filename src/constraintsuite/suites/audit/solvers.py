"""Solvers: rules that pick one of an example's two documents without understanding the query, by length, ids, edits or words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example, QueryRole
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
    """A shortcut: its name, what it picks, and the function that picks."""

    name: str
    description: str
    """What it picks: "the text with fewer words"."""
    advantage: Advantage
    opposite: str = ""
    """Name of the solver that always picks the other document, where there is one."""

    def picks(self, examples: Sequence[Example]) -> IntArray:
        """Per example +1 (picks the satisfying document), -1 (the violating one) or 0 (a tie)."""
        return np.sign(self.advantage(examples)).astype(np.int64)


def prefer_higher(measure: DocumentMeasure) -> Advantage:
    """A solver's advantage that prefers the document with the higher measure."""
    return lambda examples: np.array(
        [measure(one, SATISFYING) - measure(one, VIOLATING) for one in examples], dtype=np.float64
    )


def prefer_lower(measure: DocumentMeasure) -> Advantage:
    """A solver's advantage that prefers the document with the lower measure."""
    return lambda examples: -prefer_higher(measure)(examples)


class SolverTrial(NamedTuple):
    """How often a solver was right in each unit: an example or, where one example of each couple is tried, a couple."""

    units: tuple[Example, ...]
    """One example for each unit."""
    groups: IntArray  # (units,)
    """Units of one group share source texts, so they are resampled and held out together."""
    wins: FloatArray  # (units,)
    """Share of the tries that picked the satisfying document."""
    losses: FloatArray  # (units,)
    """Share of the tries that picked the violating document; the others are ties."""

    @staticmethod
    def of_picks(examples: Sequence[Example], groups: IntArray, picks: FloatArray) -> SolverTrial:
        """The trial of a solver that picked once for every example."""
        return SolverTrial(tuple(examples), groups, (picks > 0).astype(np.float64), (picks < 0).astype(np.float64))

    @property
    def ties(self) -> FloatArray:  # (units,)
        """Share of the tries that picked neither."""
        return np.maximum(0.0, 1.0 - self.wins - self.losses)

    def keep(self, kept: npt.NDArray[np.bool_]) -> SolverTrial:
        """The trial of the units that are marked true."""
        units = tuple(unit for unit, keep in zip(self.units, kept, strict=True) if keep)
        return SolverTrial(units, self.groups[kept], self.wins[kept], self.losses[kept])

    def reversed(self) -> SolverTrial:
        """The trial of the opposite choice; a tie stays a tie."""
        return self._replace(wins=self.losses, losses=self.wins)

    def with_coin(self) -> SolverTrial:
        """The trial if a coin decided each tie."""
        return self._replace(wins=self.wins + self.ties / 2, losses=self.losses + self.ties / 2)


def count_words(example: Example, role: str) -> int:
    """Length of the text in words."""
    return len(words(example.document(role).text))


def _id_order(examples: Sequence[Example]) -> FloatArray:
    ids = [(example.satisfying.id, example.violating.id) for example in examples]
    return np.array([(good < bad) - (good > bad) for good, bad in ids], dtype=np.float64)


def _is_edited(example: Example, role: str) -> int:
    return int(bool(example.document(role).edit))


def _bm25_advantage(query: QueryRole, examples: Sequence[Example]) -> FloatArray:
    queries = [example.queries.get(query, "") for example in examples]
    good, bad = ([example.document(role).text for example in examples] for role in (SATISFYING, VIOLATING))
    scorer = load_scorer("bm25:nostop", Workbench([*good, *bad]))  # a "not" that query and text share counts
    return scorer.score(list(zip(queries, good, strict=True))) - scorer.score(list(zip(queries, bad, strict=True)))


def _lower_under_opposite(examples: Sequence[Example]) -> FloatArray:
    return -_bm25_advantage("opposite", examples)


_ALL_WORDS = TermAnalyser(stop_list="none", stem=True)


def _shared_terms(example: Example, role: str) -> int:
    return len(set(_ALL_WORDS.terms(example.query)) & set(_ALL_WORDS.terms(example.document(role).text)))


SOLVERS = (
    Solver("shorter", "the text with fewer words", prefer_lower(count_words), opposite="longer"),
    Solver("longer", "the text with more words", prefer_higher(count_words), opposite="shorter"),
    Solver("bm25_query", "the higher BM25 score under the query", partial(_bm25_advantage, "query")),
    Solver("bm25_opposite", "the lower BM25 score under the opposite query", _lower_under_opposite),
    Solver("overlap", "the text that shares more distinct words with the query", prefer_higher(_shared_terms)),
    Solver("first_id", "the document whose id sorts first", _id_order),
    Solver("edited_side", "the edited document, where exactly one of the two is edited", prefer_higher(_is_edited)),
)
"""The solvers of every suite; constraint types add their own."""
