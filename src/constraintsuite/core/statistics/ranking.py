"""Measures of rankings, computed by ir-measures (the extra [ranking]), and the overlap of two rankings."""

from __future__ import annotations

import subprocess
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from constraintsuite.core.errors import MissingExtraError, UserError

if TYPE_CHECKING:
    from ir_measures import Measure

DEEPEST = 1_000_000
"""The largest cut-off of a measure."""
Qrels = Mapping[str, Mapping[str, int]]
"""Grade by query and document; from 1 on a document is relevant."""
Rankings = Mapping[str, Sequence[str]]
"""Documents by query, best first."""
PERSISTENCE = 0.9
"""The probability that a reader also looks at the next rank. The first ten ranks then have 86 % of the weight."""


@dataclass(frozen=True, slots=True)
class StandardMeasure:
    """A measure in the notation of ir-measures: `nDCG@10`, `P(rel=2)@5`."""

    name: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.name


def parse_standard(text: str) -> StandardMeasure:
    """The measure that a user named. Raises UserError if ir-measures does not know it or cannot compute it here.

    The measure is tried on one query, which is the only way to find out which parameters its implementation refuses.
    """
    read = _read(text)
    cutoff = read.params.get("cutoff")
    with _user_errors(text):
        _calculate(read, {"1": {"d1": 1, "d2": 0}}, {"1": {"d1": 2.0, "d2": 1.0}})
    return StandardMeasure(str(read), cutoff if isinstance(cutoff, int) else None)


def measure_queries(
    measures: Sequence[StandardMeasure], qrels: Qrels, rankings: Rankings
) -> dict[StandardMeasure, dict[str, float]]:
    """The value of each measure for each query of `qrels`; a query without hits gets the lowest value.

    A query for which a measure is undefined has no value. Raises UserError if a measure cannot be computed at all. Only
    the order of the documents counts. The implementations that ir-measures calls break ties in different ways, compare
    scores in 32 bits, or accept only numbers as query ids. So they get numbers in place of names, and ranks in place of
    scores.
    """
    numbers = {query: str(number) for number, query in enumerate(qrels, 1)}
    documents = dict.fromkeys(d for one in (*qrels.values(), *rankings.values()) for d in one)
    names = {document: f"d{place}" for place, document in enumerate(documents)}
    graded = {numbers[query]: {names[d]: grade for d, grade in grades.items()} for query, grades in qrels.items()}
    ranked = {
        numbers[query]: {names[d]: float(len(found) - place) for place, d in enumerate(found)}
        for query, found in rankings.items()
        if query in numbers and found
    }
    values: dict[StandardMeasure, dict[str, float]] = {}
    for measure in measures:
        found = _defined(_read(measure.name), graded, ranked) if graded else {}
        values[measure] = {query: found[number] for query, number in numbers.items() if number in found}
    return values


def overlap_at(one: Sequence[Hashable], other: Sequence[Hashable], k: int) -> float | None:
    """The share of the first k that both rankings have; None if both are empty."""
    first, second = set(one[:k]), set(other[:k])
    longer = max(len(first), len(second))
    return len(first & second) / longer if longer else None


def rank_biased_overlap(
    one: Sequence[Hashable], other: Sequence[Hashable], persistence: float = PERSISTENCE
) -> float | None:
    """RBO, extrapolated to infinite rankings (Webber, Moffat & Zobel 2010, equation 32); None if both are empty."""
    shorter, longer = sorted((one, other), key=len)
    if not shorter:
        return None if not longer else 0.0
    shared: list[float] = []  # X_d: the number of items that both have among the first d
    seen_shorter: set[Hashable] = set()
    seen_longer: set[Hashable] = set()
    both = 0
    for depth, next_longer in enumerate(longer):
        both += next_longer in seen_shorter
        seen_longer.add(next_longer)
        if depth < len(shorter):
            both += shorter[depth] in seen_longer
            seen_shorter.add(shorter[depth])
        shared.append(both)
    return _extrapolated(shared, len(shorter), persistence)


def chance_overlap(count: int) -> float:
    """The mean RBO of two random orders of `count` items, which share d² / `count` items to depth d on average."""
    return _extrapolated([depth * depth / count for depth in range(1, count + 1)], count, PERSISTENCE)


def _extrapolated(shared: Sequence[float], s: int, persistence: float) -> float:
    """Equation 32, from the number of shared items at each depth of the longer ranking; the shorter one ends at depth `s`."""
    l = len(shared)  # noqa: E741 - as in the paper
    at_s, at_l = shared[s - 1], shared[l - 1]
    terms = sum(x / d * persistence**d for d, x in enumerate(shared, 1))
    unseen = sum(at_s * (d - s) / (s * d) * persistence**d for d in range(s + 1, l + 1))
    rest = ((at_l - at_s) / l + at_s / s) * persistence**l
    return (1 - persistence) / persistence * (terms + unseen) + rest


@contextmanager
def _user_errors(name: str) -> Iterator[None]:
    """Turn errors of the implementations that ir-measures calls into a UserError."""
    try:
        yield
    except (ValueError, TypeError, ArithmeticError, OSError, subprocess.SubprocessError) as error:
        raise UserError(f"Measure {name!r}: its implementation rejects it ({error}). Choose another measure.") from None


def _defined(
    measure: Measure, qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """The defined values. Accuracy, for example, is undefined for a query whose hits are all relevant."""
    with _user_errors(str(measure)):
        try:
            return _calculate(measure, qrels, run)
        except ArithmeticError:  # the error does not name the query
            values: dict[str, float] = {}
            for query in qrels:
                with suppress(ArithmeticError):
                    values |= _calculate(measure, {query: qrels[query]}, {q: run[q] for q in (query,) if q in run})
            return values


def _calculate(
    measure: Measure, qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    import ir_measures  # noqa: PLC0415 - it adds a log handler when it is imported

    return {metric.query_id: float(metric.value) for metric in ir_measures.iter_calc([measure], qrels, run)}


def _read(text: str) -> Measure:
    if find_spec("ir_measures") is None:
        raise MissingExtraError("ranking", f"The measure {text}")
    import ir_measures  # noqa: PLC0415

    pipeline: Any = ir_measures.DefaultPipeline
    try:
        with warnings.catch_warnings():  # its parser uses what newer Pythons call old
            warnings.simplefilter("ignore", DeprecationWarning)
            measure = ir_measures.parse_measure(text)
        known = pipeline.supports(measure)
    except (ValueError, NameError, AssertionError, TypeError) as error:
        raise UserError(f"Measure {text!r}: {_reason(error)}") from None
    cutoff = measure.params.get("cutoff", 1)
    if isinstance(cutoff, bool) or not 1 <= cutoff <= DEEPEST:  # trec_eval would end the process
        raise UserError(f"Measure {text!r}: after @ there must be an integer from 1 to {DEEPEST:,}.")
    if not known:
        raise UserError(
            f"Measure {text!r}: ir-measures knows it, but no installed package computes it. Choose another measure."
        )
    return measure


def _reason(error: Exception) -> str:
    if isinstance(error, NameError):
        return "there is no such measure."
    if "cutoff=" in str(error):
        return "it needs an integer, as in P@10."
    if "=<object" in str(error):
        return f"it needs a value for {str(error).partition('=')[0].rpartition(' ')[2]}."
    return f"{error}." if isinstance(error, AssertionError) else "write it as nDCG@10 or P(rel=2)@5."
