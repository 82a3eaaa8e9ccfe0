"""Solvers: rules that pick one of an example's two documents without understanding the query, by length, ids, edits or words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example, QueryRole
from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.suites.audit.edited import edited_advantage
from constraintsuite.text.readings import is_function_word
from constraintsuite.text.terms import TermAnalyser, words

DocumentMeasure = Callable[[Example, str], float]
"""A number for the document of an example that has this role."""
Advantage = Callable[[Sequence[Example]], FloatArray]
"""For each example, how much more a solver likes the satisfying document than the violating one; 0 is a tie."""

FIRST_ID = "first_id"
"""Picks by what no system sees, so a system can learn nothing from it; it shows how ids were given."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A shortcut: its name, what it picks, and the function that picks. The opposite choice is a shortcut too."""

    name: str
    description: str
    """What it picks: "the text with fewer words"."""
    advantage: Advantage
    reads_query: bool = False
    """Whether it may pick another document for the opposite query."""

    def picks(self, examples: Sequence[Example]) -> FloatArray:
        """Per example +1 (picks the satisfying document), -1 (the violating one), 0 (a tie) or NaN (it cannot be tried)."""
        return np.sign(self.advantage(examples))

    def picks_for_opposite(self, examples: Sequence[Example], picks: FloatArray) -> FloatArray:
        """The same for the opposite query, for which the violating document is right; NaN where there is none.

        `picks` are those for the query: a solver that does not read the query picks the same document again.
        """
        paired = np.array([example.is_paired for example in examples], dtype=bool)
        found = np.where(paired, -picks, np.nan)
        if self.reads_query and paired.any():
            found[paired] = self.picks([turn_round(example) for example in examples if example.is_paired])
        return found


def turn_round(example: Example) -> Example:
    """The example from the side of its opposite query: the queries and the roles of the two documents are exchanged."""
    documents = tuple(
        replace(document, role=_OTHER.get(document.role, document.role)) for document in reversed(example.documents)
    )
    query = example.opposite or ""
    return replace(example, query=query, opposite=example.query, documents=documents, constraint=None)


_OTHER = {SATISFYING: VIOLATING, VIOLATING: SATISFYING}


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
    right: FloatArray  # (units,)
    """Share of the tries that picked the satisfying document; a tie counts as half, as if a coin decided it."""
    ties: FloatArray  # (units,)
    """Share of the tries that picked neither."""
    paired: FloatArray  # (units,)
    """Share of the tries that were right for the query and for its opposite; NaN where there is no opposite query."""

    @staticmethod
    def of_picks(
        examples: Sequence[Example], groups: IntArray, picks: FloatArray, picks_for_opposite: FloatArray
    ) -> SolverTrial:
        """The trial of a solver that picked once for every query; examples in which it cannot be tried are left out."""
        tried = np.flatnonzero(~np.isnan(picks))
        right, opposite = ((1 + found[tried]) / 2 for found in (picks, picks_for_opposite))
        units = tuple(examples[place] for place in tried.tolist())
        return SolverTrial(units, groups[tried], right, (right == 0.5).astype(np.float64), right * opposite)

    def keep(self, kept: npt.NDArray[np.bool_]) -> SolverTrial:
        """The trial of the units that are marked true."""
        units = tuple(unit for unit, keep in zip(self.units, kept, strict=True) if keep)
        return SolverTrial(units, self.groups[kept], self.right[kept], self.ties[kept], self.paired[kept])


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


def _shared_terms(example: Example, role: str) -> int:
    return len(_terms(example.query) & _terms(example.document(role).text))


def _shared_content_words(example: Example, role: str) -> int:
    """Words that both texts hold cancel out, so the difference counts the words that only one text has."""
    content = [word for word in words(example.query) if not (is_function_word(word) or _is_negation(word))]
    return len(_terms(" ".join(content)) & _terms(example.document(role).text))


@lru_cache(maxsize=20_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(_ALL_WORDS.terms(text))


_ALL_WORDS = TermAnalyser(stop_list="none", stem=True)


def count_negations(text: str) -> int:
    """The number of words such as "not", "no" and "without"."""
    return sum(map(_is_negation, words(text)))


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


_NEGATIONS = frozenset(
    ["no", "not", "never", "none", "nothing", "nobody", "nowhere", "neither", "nor", "without", "cannot"]
)


SOLVERS = (
    Solver("shorter", "the text with fewer words", prefer_lower(count_words)),
    Solver(
        "fewer_negations",
        'the text with fewer words such as "not", "no" and "without"',
        prefer_lower(lambda example, role: count_negations(example.document(role).text)),
    ),
    Solver("bm25_query", "the higher BM25 score under the query", partial(_bm25_advantage, "query"), reads_query=True),
    Solver("bm25_opposite", "the lower BM25 score under the opposite query", _lower_under_opposite, reads_query=True),
    Solver(
        "overlap",
        "the text that shares more distinct words with the query",
        prefer_higher(_shared_terms),
        reads_query=True,
    ),
    Solver(
        "own_query_words",
        "the text with more content words of the query that the other text lacks",
        prefer_higher(_shared_content_words),
        reads_query=True,
    ),
    Solver(FIRST_ID, "the document whose id sorts first", _id_order),
    Solver("edited_side", "the edited document, where exactly one of the two is edited", prefer_higher(_is_edited)),
    Solver(
        "looks_edited", "the text that a classifier of edited and untouched texts takes for edited", edited_advantage
    ),
)
"""The solvers of every suite; constraint types add their own."""
