"""Examples to read: failures of a system, and the examples that most systems fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean
from typing import ClassVar

from constraintsuite.app.pages.marks import LONG, NEAR, MarkedDocument, Segment, cut, excerpt, marks_of, query_marks
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.pairwise import PairResult, pair_class
from constraintsuite.experiments.load import Run

_CARD, _NEAR_ON_CARD = 320, 100  # characters of a text on a card, and on either side of its marks
_PREFERRED = {
    "sticks_to_violating": "preferred the text that violates the query, and the same text when asked for the opposite",
    "sticks_to_satisfying": "preferred the text that satisfies the query, but also when asked for the opposite",
    "reversed": "preferred the wrong text both times: for the query, and when asked for the opposite",
    "paired_tie": "gave both texts the same score, for the query or when asked for the opposite",
}


@dataclass(frozen=True)
class ShownExample:
    """An example with its marks, and the results of systems on it."""

    example: Example
    documents: tuple[MarkedDocument, ...]
    outcomes: tuple[tuple[str, PairResult], ...] = ()
    """The label and the result of each system."""
    preferred: str = ""
    """A sentence on the text that a failing system preferred."""

    @property
    def query(self) -> tuple[Segment, ...]:
        """The query with the words of its constraint marked."""
        return cut(self.example.query, query_marks(self.example))


@dataclass(frozen=True)
class ExampleCards:
    """A block of a section that shows examples."""

    kind: ClassVar[str] = "reading"
    examples: tuple[ShownExample, ...]


def show_failures(examples: Sequence[Example], runs: Mapping[str, Run], count: int) -> list[ShownExample]:
    """At most `count` failures of the first run that differ in constraint type, slice and error class; the hardest come first."""
    label, run = next(iter(runs.items()))
    results = {result.id: result for result in run.results}
    waiting = _hardest([e for e in examples if e.id in results and _fails(results[e.id])], runs)
    chosen: list[Example] = []
    while waiting and len(chosen) < count:
        known = [(_type_of(e), e.slice, pair_class(results[e.id])) for e in chosen]
        types, slices, classes = (set(part) for part in zip(*known, strict=True)) if known else (set(), set(), set())
        best = min(
            waiting,
            key=lambda e: (_type_of(e) in types, e.slice in slices, pair_class(results[e.id]) in classes),
        )
        chosen.append(best)
        waiting.remove(best)
    return [
        ShownExample(e, show_documents(e, _CARD, _NEAR_ON_CARD), preferred=f"{label} {_preferred(e, results[e.id])}.")
        for e in chosen
    ]


def _type_of(example: Example) -> str:
    return example.constraint.type if example.constraint else ""


def _preferred(example: Example, result: PairResult) -> str:
    found = pair_class(result)
    if found is not None:
        return f"{_PREFERRED[found]}, “{example.opposite}”"
    tied = result.outcomes["query"] == "tie"
    return "gave both texts the same score" if tied else "preferred the text that violates the query"


def show_hardest(examples: Sequence[Example], runs: Mapping[str, Run], count: int) -> list[ShownExample]:
    """At most `count` of the hardest examples, taken in turn from the slices of each constraint type."""
    known = {label: {result.id: result for result in run.results} for label, run in runs.items()}
    parts: dict[tuple[str, str], list[Example]] = {}
    for example in _hardest(examples, runs):
        parts.setdefault((_type_of(example), example.slice), []).append(example)
    chosen = [example for turn in zip_longest(*parts.values()) for example in turn if example is not None]
    return [
        ShownExample(
            example,
            show_documents(example),
            tuple((label, found[example.id]) for label, found in known.items() if example.id in found),
        )
        for example in chosen[:count]
    ]


def _hardest(examples: Sequence[Example], runs: Mapping[str, Run]) -> list[Example]:
    """Examples with results, those that most runs fail, and by the widest gaps, first.

    Only one example is kept of a couple, and of those in a slice with the same query.
    """
    known = [{result.id: result for result in run.results} for run in runs.values()]

    def hardness(example: Example) -> tuple[int, float, str]:
        found = [results[example.id] for results in known if example.id in results]
        return -sum(map(_fails, found)), fmean(map(_margin, found)), example.id

    seen: set[str] = set()
    kept = []
    for example in sorted((e for e in examples if any(e.id in results for results in known)), key=hardness):
        marks = {f"{example.slice} {example.query}", f"couple {example.couple or example.id}"}
        if not marks & seen:
            kept.append(example)
        seen |= marks
    return kept


def show_documents(example: Example, most: int = LONG, near: int = NEAR) -> tuple[MarkedDocument, ...]:
    """The two documents with their marks; of a text with more than `most` characters only the parts near marks."""
    return tuple(
        MarkedDocument(document, excerpt(cut(document.text, marks_of(example, document.role)), most, near))
        for document in (example.satisfying, example.violating)
    )


def _fails(result: PairResult) -> bool:
    """Whether the result is wrong or a tie under either query."""
    turned = result.outcomes["opposite"] if result.paired is not None else "right"
    return result.outcomes["query"] != "right" or turned != "right"


def _margin(result: PairResult) -> float:
    """The smaller of the gaps under the two queries, in standard deviations of the system's scores; negative if wrong."""
    gaps = [result.gaps["query"]]
    if result.paired is not None:
        gaps.append(-result.gaps["opposite"])
    return min(gaps) / (result.unit or 1.0)
